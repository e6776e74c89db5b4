// The windows and files of one process, and the calls of MPI that make, use and free them. Calls are left out
// if the trace shows that they failed.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "calls/call_consumer.hpp"

namespace ovni {

enum class ObjectKind : uint32_t { window = 1, file = 2 };  // as in ovni/mpi_events.h

// A window or a file as one process describes it.
struct MpiObject {
    ObjectKind kind = ObjectKind::window;
    uint32_t process = 0;          // in System
    uint32_t communicator = 0;     // number in the process
    uint64_t communicator_id = 0;  // 0: unknown
    uint32_t scope = 0;            // as that of a MessageKey
    int32_t rank = -1;             // of the process there; -1: unknown
    uint32_t size = 0;             // members of the communicator; 0: unknown
    uint32_t is_made = 0;          // the call that makes it was recorded
    uint32_t turn = 0;             // its number among those of its kind on the communicator, from 1
    std::string name;
};

// Times are corrected clocks, ns.
struct ObjectCall {
    static constexpr int64_t never = INT64_MAX;

    int64_t enter = 0, leave = 0;
    int64_t complete = never;  // the call that completes its request ends; without one it is the leave
    uint64_t bytes = 0;        // that a one-sided call gives, or that I/O is to transfer
    uint64_t result = 0;       // that a one-sided call takes, or that I/O has transferred
    uint64_t offset = 0;       // of its enter
    uint32_t stream = 0;
    uint32_t object = 0;    // in a list of objects
    int32_t target = 0;     // rank of a one-sided call; see ovni/mpi_events.h
    uint16_t function = 0;  // in mpi_function_rows
    uint16_t has_request : 1 = 0;
    uint16_t behind_gap : 1 = 0;  // calls of this process before it may be missing
};

struct FoundObjects {
    std::vector<MpiObject> objects;
    std::vector<ObjectCall> calls;
};

class ObjectCalls : public CallConsumer {
 public:
    struct CallingProcess {
        uint32_t process = 0, world = 0, world_size = 0;  // as in ProcessFacts
    };
    // `found` gets what the process has, and outlives this.
    ObjectCalls(const CallingProcess& caller, FoundObjects& found) : caller_(caller), found_(found) {}

    // The trace lacks what came before the first event.
    void begin_inside() { is_behind_gap_ = true; }

    void left(const CallThread& caller, const Return& result) override;
    void abandoned(const CallThread& caller, int64_t clock, Abandoned why) override;
    void ended(const CallThread& caller, const Request& request, uint32_t how) override;
    void transferred(uint32_t transfer, uint64_t bytes) override;
    void described(const EventView& event, std::span<const uint8_t> data) override;
    void interrupted(const CallThread& caller, const EventView& event, bool is_counted) override;

 private:
    void complete(const CallThread& caller, int64_t clock);
    void define(std::span<const uint8_t> data);
    void name(std::span<const uint8_t> data);

    CallingProcess caller_;
    FoundObjects& found_;
    std::map<uint32_t, std::vector<uint32_t>> completed_;  // calls in found_, by the open call of a stream
    std::map<uint32_t, uint32_t> objects_;                 // by number: in found_
    bool is_behind_gap_ = false;
};

}  // namespace ovni
