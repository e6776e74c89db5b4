// Calls of GCC's runtime, libgomp, that the program makes and that come to us first: how they reach the
// function that they were meant for, and whether they are recorded. A runtime that reports through OMPT, and
// has these entry points as well, records them itself.
#pragma once

#include <atomic>
#include <cstdint>

#include "openmp/mode.hpp"
#include "openmp/thread.hpp"

namespace ovni::openmp {

// One function of the runtime. There may be several copies of libgomp, each seen by some libraries alone: a
// call goes where its caller would have reached without us. All functions are looked up at once: a team may
// work while its maker holds the loader's lock, and threads of the team must not wait for that.
class GompFunction {
 public:
    constexpr explicit GompFunction(const char* name) : name_(name) {}

    // `caller`: an address in the code that calls. Null only if the caller could not have called it either.
    void* real(const void* caller) noexcept {
        if (void* found = everybodys_.load(std::memory_order_acquire)) [[likely]]
            return found;
        return find(caller);
    }

 private:
    friend class GompFunctions;
    void* find(const void* caller) noexcept;

    const char* name_;
    std::atomic<void*> everybodys_{nullptr};  // found from all of the program
};

// How each GompFunction is defined: so that all of them lie in one table.
#define OVNI_GOMP_FUNCTION [[gnu::section("ovni_gomp")]] static constinit GompFunction

// Looks up the functions that all of the program sees, and whether calls are recorded. Call before a team
// begins, as its threads must not ask the loader.
void find_gomp_functions() noexcept;

// True if calls are recorded here.
bool records_gomp() noexcept;

// A call that is passed on: the real function, and a report before and after it.
template <class Function>
Function* real_of(GompFunction& function, const void* caller) noexcept {
    return reinterpret_cast<Function*>(function.real(caller));
}

inline void report_enter(const Entered& construct) noexcept {
    if (!records_gomp()) return;
    if (Report report; report) report->enter(construct);
}
inline void report_leave(Family family, uint64_t key) noexcept {
    if (!records_gomp()) return;
    if (Report report; report) report->leave(family, key);
}

// Keys of waits are the numbers of State.
constexpr Entered wait_of(State state) {
    return {.state = state, .key = static_cast<uint64_t>(state)};
}
inline void leave_wait(State state) noexcept {
    report_leave(Family::sync, static_cast<uint64_t>(state));
}

}  // namespace ovni::openmp
