// The events of one MPI rank of a generated trace, of one thread, that sends and receives with details.
#pragma once

#include <cstdint>

#include "tests/bench/stream_file.hpp"

namespace ovni::bench {

struct MessagePlan {
    int32_t rank = 0, ranks = 1;
    // 0: each even rank sends to the next one, both by calls that block. Else each rank sends round a ring,
    // and so many receives are posted, and so many sends, before all are waited for.
    uint32_t pending = 1;
    int32_t cpu = 0;      // index in the loom
    uint32_t gap = 1000;  // ns between events
};

class MessageScript {
 public:
    MessageScript(const MessagePlan& plan, StreamFile& file) : plan_(plan), file_(file) {}

    // From the beginning of the thread to its end: as many messages as `events` have room for.
    void write(uint64_t events);

 private:
    static constexpr uint64_t least_events = 6, events_of_blocking = 2;
    static constexpr uint64_t bytes = 1000;
    static constexpr int32_t tag = 7;
    static constexpr uint32_t world = 1, no_request = 0;

    int64_t tick() { return clock_ += plan_.gap; }
    void block(uint64_t messages);
    void round(uint32_t messages);

    MessagePlan plan_;
    StreamFile& file_;
    int64_t clock_ = 1'000'000'000;
    uint32_t requests_ = 0;  // of this rank so far
};

}  // namespace ovni::bench
