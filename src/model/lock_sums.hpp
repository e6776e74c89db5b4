// Sums of the waits for locks and other objects of POSIX threads, by object: number, time, and the holder of
// the object when a wait began. Events come thread by thread or in order of time; the sums are equal.
//
// A wait that is open when a gap begins, or the stream ends, counts up to there.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/wide_sum.hpp"
#include "ovni/event_code.hpp"

namespace ovni {

struct HeldWaits {
    uint64_t waits = 0;
    WideSum nanoseconds;
};

struct LockSums {
    uint64_t waits = 0;
    WideSum nanoseconds;
    uint64_t longest = 0;                  // ns
    std::map<int32_t, HeldWaits> holders;  // by tid; 0: unknown

    LockSums& operator+=(const LockSums& other);
};

struct LockName {
    std::string kind, label;  // "mutex", "table_lock"
    auto operator<=>(const LockName&) const = default;
};
using LockSumsByName = std::map<LockName, LockSums>;

class ProcessLocks {
 public:
    // A jumbo event of a thread. Without effect if it defines no object. Throws Error for a wrong definition.
    void define(EventCode code, std::span<const uint8_t> data);
    // Call after the last event of its last thread.
    LockSumsByName sums() const;

 private:
    friend class ThreadAtLocks;
    struct Object {
        std::string_view kind;
        uint32_t number = 0;
        auto operator<=>(const Object&) const = default;
    };
    std::map<uint32_t, std::string> labels_;
    std::map<Object, LockSums> sums_;
};

class ThreadAtLocks {
 public:
    explicit ThreadAtLocks(ProcessLocks& process) : process_(process) {}
    // The next event of the model pthread that is not a jumbo event. Times are differences of `clock`.
    void take(EventCode code, std::span<const uint8_t> payload, int64_t clock);
    // A gap begins, or the stream ends.
    void close(int64_t clock);

 private:
    struct Open {
        ProcessLocks::Object object;
        int32_t holder = 0;
        int64_t since = 0;
    };
    static constexpr size_t deepest = 512;  // as in the emulator; a stream with missing events may have more
    void leave(int64_t clock);

    ProcessLocks& process_;
    std::vector<Open> open_;
};

}  // namespace ovni
