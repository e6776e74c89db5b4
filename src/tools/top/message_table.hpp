// ovnitop --messages and --matrix: how much each rank sends to each other one.
#pragma once

#include "emu/plan/system.hpp"
#include "messages/match/find_messages.hpp"
#include "tools/text_output.hpp"

namespace ovni {

// Sums, causes of what has no partner, sizes, and pairs of ranks, those with most bytes first.
void print_messages(const MessageSummary& messages, const System& system, TextOutput& out);

// Bytes by sender (rows) and receiver (columns): ranks, or looms if there are many ranks.
void print_matrix(const MessageSummary& messages, const System& system, TextOutput& out);

}  // namespace ovni
