// The messages of a trace in a report.
#pragma once

#include <nlohmann/json.hpp>

#include "emu/plan/system.hpp"
#include "messages/match/find_messages.hpp"

namespace ovni {

nlohmann::ordered_json messages_in(const MessageSummary& messages, const System& system);

}  // namespace ovni
