// Sums of the waits for locks and other objects of POSIX threads, by object: number, time, and the holder of
// the object when a wait began. Events come thread by thread or in order of time; the sums are equal.
//
// A wait that is open when a gap begins, or the stream ends, counts up to there.
#pragma once

#include <compare>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
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

// Places of code as events describe them ("BUILD_ID ADDRESS PATH"): the first ones in the order of texts, so
// that the order of events does not count.
class CodeTexts {
 public:
    void add(const std::string& text) {
        texts_.insert(text);
        if (texts_.size() > most) texts_.erase(std::prev(texts_.end()));
    }
    const std::set<std::string>& all() const { return texts_; }

 private:
    static constexpr size_t most = 4;
    std::set<std::string> texts_;
};

struct LockSums {
    uint64_t waits = 0;
    WideSum nanoseconds;
    uint64_t longest = 0;                  // ns
    std::map<int32_t, HeldWaits> holders;  // by tid; 0: unknown
    CodeTexts code;                        // that waits for it

    LockSums& operator+=(const LockSums& other);
};

struct LockName {
    std::string kind, label;  // "mutex", "table_lock"
    auto operator<=>(const LockName&) const = default;
};
using LockSumsByName = std::map<LockName, LockSums>;

class ProcessLocks {
 public:
    // A jumbo event of a thread. Without effect if it describes no object. Throws Error for a wrong
    // definition.
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
    std::map<uint32_t, CodeTexts> code_;  // by number of the object
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
