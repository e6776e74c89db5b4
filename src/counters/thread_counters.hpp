// The counters of one thread: opened when its row begins or at its first border, read and recorded at each.
// Owning thread only, and handlers that interrupt it, which count nothing then. Events:
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
    // Counts from the clock `at` on, which is now, and at which there is no border.
    void count_from(uint64_t at) noexcept;
    bool is_open() const { return is_open_; }
    // Reads what the thread has used since the last call. The first call opens the counters.
    void read() noexcept;
    // Records that at the clock `at`, unless nothing is known: read() was the first call, or was not called.
    void emit(uint64_t at) noexcept;
    void close() noexcept;
    // True at the first call.
    bool is_first_end() { return !std::exchange(has_ended_, true); }
    // Call in a fork's child: its thread is another one, with a stream of its own.
    void start_over() noexcept;

 private:
    // Hardware counters, and software counters, of which every clock leads a group.
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
