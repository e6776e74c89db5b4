// ovnitop --messages and --matrix: how much each rank sends to each other one.
#pragma once

#include <vector>

#include "emu/plan/system.hpp"
#include "messages/match/find_messages.hpp"
#include "tools/top/data_table.hpp"

namespace ovni {

// Sums, causes of what has no partner, sizes, and pairs of ranks, those with most bytes first.
std::vector<DataTable> message_tables(const MessageSummary& messages, const System& system);

// Bytes by sender (rows) and receiver (columns): ranks, or looms if there are many ranks.
std::vector<DataTable> matrix_tables(const MessageSummary& messages, const System& system);

}  // namespace ovni
