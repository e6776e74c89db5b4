// The calls of one location that use windows and files, as events of OTF2: each has events where it begins,
// where it ends, and where its request is complete. Operations on a window are complete in the calls that
// synchronise it, as far as the thread that makes them calls these.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sink/otf2/otf2_event_file.hpp"
#include "sink/otf2/otf2_functions.hpp"

namespace ovni {

// Times are ns since the first event.
struct Otf2ObjectCall {
    int64_t begin, end;
    int64_t complete;  // of a call with a request; INT64_MAX: never
    Otf2ObjectUse use;
    uint32_t object;  // number of the window or file
    uint32_t target;  // rank in its communicator; no_target: none, or all
    uint64_t bytes, result;
    bool has_request;
    uint64_t number = 0;  // of the operation, while it is under way
    static constexpr uint32_t no_target = UINT32_MAX;
};

class Otf2ObjectEvents {
 public:
    // `file` outlives this. `location` makes the numbers of operations unique.
    Otf2ObjectEvents(Otf2EventFile& file, uint64_t location) : file_(file), location_(location) {}

    // In the order of time.
    void begin(Otf2ObjectCall& call);
    void end(Otf2ObjectCall& call);
    void complete(Otf2ObjectCall& call);

 private:
    using What = Otf2ObjectUse::What;
    using Step = void (Otf2ObjectEvents::*)(Otf2ObjectCall& call);
    struct Steps {
        What what;
        Step begin, end, complete;
    };
    static const Steps all_steps[];
    static const Steps& steps_of(const Otf2ObjectCall& call);
    // An operation on a window that is not complete.
    struct Operation {
        uint64_t number;
        uint32_t target;
        bool is_get;
    };

    void nothing(Otf2ObjectCall&) {}
    void begin_collective(Otf2ObjectCall& call);
    void end_collective(const Otf2ObjectCall& call, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level);
    void make_window(Otf2ObjectCall& call);
    void free_window(Otf2ObjectCall& call);
    void put(Otf2ObjectCall& call);
    void get(Otf2ObjectCall& call);
    void update(Otf2ObjectCall& call);
    void leave_open(Otf2ObjectCall& call);
    void complete_locally(Otf2ObjectCall& call);
    void fence(Otf2ObjectCall& call);
    void synchronise(Otf2ObjectCall& call);
    void open(Otf2ObjectCall& call);
    void close(Otf2ObjectCall& call);
    void begin_transfer(Otf2ObjectCall& call);
    void end_transfer(Otf2ObjectCall& call);
    void issue(Otf2ObjectCall& call);
    void issue_split(Otf2ObjectCall& call);
    void end_split(Otf2ObjectCall& call);
    void complete_transfer(Otf2ObjectCall& call);
    uint64_t next_number() { return location_ << 32 | ++operations_; }

    Otf2EventFile& file_;
    uint64_t location_, operations_ = 0;
    std::map<uint32_t, std::vector<Operation>> open_;  // by window
    std::map<uint32_t, uint64_t> split_;               // by file: the operation that has begun
};

}  // namespace ovni
