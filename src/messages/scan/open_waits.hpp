// Waits in POSIX threads that have not ended when the streams of a process end: of a program that was killed
// or is running still.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "calls/call_consumer.hpp"

namespace ovni {

struct OpenWait {
    uint32_t stream = 0;
    std::string kind, object;      // "mutex", "table_lock"
    int tid = 0;                   // of the thread that was last seen with the object; 0: unknown
    int64_t since = 0, until = 0;  // by the clock of the reader
};

// Follows the threads of one process, through one reader or several, in any order. The holder of an object is
// the one that events named last, because a wait that goes on has no further events.
class ProcessWaits : public CallConsumer {
 public:
    // `tids`: by stream.
    explicit ProcessWaits(std::map<uint32_t, int> tids) : tids_(std::move(tids)) {}

    // Call after the last stream. Returns the open waits of streams that were read to their ends.
    std::vector<OpenWait> open() const;

    bool wants_others() const override { return true; }
    void other(const CallThread& caller, const EventView& event) override;
    void interrupted(const CallThread& caller, const EventView& event, bool is_counted) override;
    void finished() override;

 private:
    struct Wait {
        char kind = 0;  // category of the event code
        uint32_t object = 0;
        int holder = 0;
        int64_t since = 0;
    };
    struct Unended {
        uint32_t stream;
        Wait wait;
        int64_t until;
    };
    struct Holder {
        int tid = 0;
        int64_t at = INT64_MIN;
    };
    void note(char kind, uint32_t object, int tid, int64_t clock);

    std::map<uint32_t, int> tids_;
    std::map<uint32_t, std::vector<Wait>> waits_;  // by stream
    std::vector<Unended> unended_;
    std::map<uint32_t, Holder> holders_;       // of mutexes and read-write locks, by number
    std::map<uint32_t, std::string> objects_;  // labels by number
};

}  // namespace ovni
