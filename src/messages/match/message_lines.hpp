// The messages of a trace as lines for people.
#pragma once

#include <string>
#include <vector>

#include "messages/match/find_messages.hpp"

namespace ovni {

// "12 messages with 3400 bytes", and what has no partner, by cause.
std::vector<std::string> message_lines(const MessageSummary& messages);

}  // namespace ovni
