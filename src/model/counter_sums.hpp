// Sums of counters by the function of MPI, by the region, and by the construct of OpenMP or wait that threads
// were in, and by thread: what was counted between two borders belongs to what the thread was in until the
// second border. For reports and ovnitop. Events of a thread come in order.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/wide_sum.hpp"
#include "model/mpi_event.hpp"

namespace ovni {

// Stretches of time with known counters: their length, and the sums of all counters of the trace by number.
struct CounterSums {
    WideSum nanoseconds;
    std::vector<WideSum> of;

    CounterSums& operator+=(const CounterSums& other);
};

// A part of a parallel region, a task or a barrier of OpenMP, or a wait in POSIX threads.
struct CountedConstruct {
    std::string_view kind;  // "parallel region", "task", "barrier", "wait"; empty: none of them
    std::string label;      // "solve._omp_fn.0"; of a wait: "mutex"; may be empty
    auto operator<=>(const CountedConstruct&) const = default;
};

struct ProcessCounters {
    std::map<const MpiFunctionRow*, CounterSums> by_function;  // null: outside of MPI
    std::map<int64_t, CounterSums> by_region;                  // by value of the mark; 0: in none
    std::map<CountedConstruct, CounterSums> by_construct;
    std::map<int, CounterSums> by_thread;  // by tid
};

// Instructions per cycle, and cycles per ns; both 0 if unknown.
struct CounterRates {
    double ipc = 0, ghz = 0;
};
// `instructions`, `cycles`: their numbers, SIZE_MAX: not counted.
CounterRates rates_of(const CounterSums& sums, size_t instructions, size_t cycles);

class ThreadInCounters {
 public:
    // `numbers`: of the counters of the stream, by place; lives as long as this, as does the process.
    ThreadInCounters(ProcessCounters& process, int tid, std::span<const uint16_t> numbers)
        : process_(process), tid_(tid), numbers_(numbers) {}

    // A jumbo event of the thread, without its size. Labels of OpenMP are known from here on.
    void define(EventCode code, std::span<const uint8_t> data);
    // The next event that is not a jumbo event; those that are no borders change nothing.
    void take(EventCode code, std::span<const uint8_t> payload, int64_t clock);
    // A gap begins, or the stream ends.
    void close();

 private:
    void begin(int64_t clock);
    void take_deltas(EventCode code, std::span<const uint8_t> payload, int64_t clock);
    void add(CounterSums& sums, size_t place, uint64_t delta) const;
    void follow_region(EventCode code, std::span<const uint8_t> payload);
    void follow_openmp(EventCode code, std::span<const uint8_t> payload, int64_t clock);
    void follow_wait(EventCode code, int64_t clock);
    void enter(std::string_view kind, std::string label, int64_t clock);
    void leave(std::string_view kind, int64_t clock);
    std::string label_of(uint32_t type) const;

    static constexpr int64_t unknown = -1;

    ProcessCounters& process_;
    int tid_;
    std::span<const uint16_t> numbers_;
    std::vector<const MpiFunctionRow*> calls_;
    std::vector<int64_t> regions_;
    std::vector<CountedConstruct> constructs_;
    std::map<uint32_t, std::string> labels_;     // of OpenMP, by type
    uint32_t made_task_ = 0, type_of_made_ = 0;  // a task of OpenMP is made where it runs
    int64_t border_ = unknown;                   // clock of the last one
};

}  // namespace ovni
