// The counters of one thread: opened when its row begins or at its first border, read and recorded at each
// border. Owning thread only; in a handler that interrupts it, nothing is counted. Events:
// ovni/counter_events.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "counters/counter_group.hpp"
#include "counters/usage_counters.hpp"

namespace ovni::counters {

class ThreadCounters {
 public:
    // Starts counting now, at the clock `at`, without a border.
    void count_from(uint64_t at) noexcept;
    bool is_open() const { return is_open_; }
    // Reads the counts since the last call. The first call opens the counters.
    void read() noexcept;
    // Records these counts at the clock `at`, unless there are none because read() was the first call, or was
    // not called.
    void emit(uint64_t at) noexcept;
    void close() noexcept;
    // True at the first call.
    bool is_first_end() { return !std::exchange(has_ended_, true); }
    // Call in a fork's child, whose thread is new and has its own stream.
    void start_over() noexcept;

 private:
    // One group for hardware counters; software counters need one group for each clock among them.
    static constexpr size_t most_groups = 3;

    void open() noexcept;
    bool open_one(const CounterRow& row) noexcept;
    CounterGroup* group_for(const CounterRow& row) noexcept;
    void read_groups() noexcept;
    void name(const char* version) noexcept;
    void emit_since(uint64_t at) noexcept;
    void emit_deltas(uint64_t at) noexcept;
    void emit_memory(uint64_t at) noexcept;

    CounterGroup groups_[most_groups];
    UsageCounters usage_;
    const CounterRow* rows_[CounterChoice::most] = {};  // by place
    uint64_t deltas_[CounterChoice::most] = {};
    size_t size_ = 0;
    uint64_t since_ = 0;  // the clock of count_from(), until deltas are recorded; 0: counts from a border on
    bool is_described_ = false;  // by the program, at that clock
    volatile bool is_busy_ = false;
    bool is_open_ = false, is_named_ = false, has_deltas_ = false, has_ended_ = false;
};

}  // namespace ovni::counters
