// The results of emulating a stretch of time, in order of (time, order). Exchanged among ranks they become a
// slice of the whole.
#pragma once

#include <vector>

#include "emu/records/record_buffer.hpp"
#include "emu/state/breakdown_values.hpp"
#include "messages/match/message_record.hpp"
#include "messages/plan/mpi_call.hpp"

namespace ovni {

struct Stretch {
    RecordBuffer records;
    std::vector<BreakdownChange> changes;
    std::vector<MessageRecord> messages;
    std::vector<MpiCall> calls;
    // Alike on all ranks.
    bool may_have_messages = false, may_have_calls = false;
};

}  // namespace ovni
