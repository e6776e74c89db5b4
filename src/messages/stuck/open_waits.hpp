// Waits in POSIX threads that have not ended when their streams end, of a program that was killed or is
// running still: who waits for what, who has it, and circles of threads that wait for each other.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "emu/plan/start.hpp"
#include "emu/plan/system.hpp"
#include "messages/stuck/waiting.hpp"
#include "trace/trace.hpp"

namespace ovni {

struct OpenWait {
    uint32_t stream = 0;
    std::string kind, object;      // "mutex", "table_lock"
    int tid = 0;                   // of the thread that was last seen with the object; 0: nobody known
    int64_t since = 0, until = 0;  // by the clock of the reader
};

// Reads the streams of one process, in any order. Who has an object is what its threads last said of that, as
// a wait that goes on says nothing more.
class ProcessWaits {
 public:
    // Reads the stream of a thread to its end. Throws Error as the reader does.
    void read(uint32_t stream, int tid, StreamReader& reader);
    // Call after the last stream.
    std::vector<OpenWait> open() const;

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

    std::vector<Unended> unended_;
    std::map<uint32_t, Holder> holders_;       // of mutexes and read-write locks, by number
    std::map<uint32_t, std::string> objects_;  // labels by number
};

// True if the program did not end a stream with waits: then some may be open.
bool may_have_open_waits(const Trace& trace);

// Those of the processes that are true, by stream. A damaged stream is read up to its damage, which is added
// to `damages`.
std::vector<OpenWait> open_waits(const Trace& trace, const System& system, const std::vector<bool>& mine,
                                 const OpenStream& open, std::set<std::string>& damages);

// Circles of waits: the thread that has the object of each waits for the next, the last for the first.
std::vector<std::vector<uint32_t>> circles_of(const System& system, const std::vector<OpenWait>& waits);

// "rank 0: thread 12 waits for mutex table_lock, which thread 13 has, for 4.7 s". Circles come first, then
// waits for what a thread has, then all others if `others` is `listed`. `calls`: those of MPI, which threads
// that have something may be in. `most` and `shortest` are as in sentences() of waiting.hpp.
enum class OtherWaits : uint8_t { listed, left_out };
std::vector<std::string> sentences(const std::vector<OpenWait>& waits, const Trace& trace,
                                   const System& system, const Waiting& calls, OtherWaits others,
                                   int64_t shortest, size_t most);

}  // namespace ovni
