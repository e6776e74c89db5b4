// Sums of counters by the function of MPI and by the region that threads were in: what stands between two
// borders belongs to what the thread was in until the second. For reports and ovnitop. Events of a thread
// come in order.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/wide_sum.hpp"
#include "model/mpi_event.hpp"

namespace ovni {

// Stretches of time of which something is known: their length, and the sums of all counters of the trace by
// number.
struct CounterSums {
    WideSum nanoseconds;
    std::vector<WideSum> of;

    CounterSums& operator+=(const CounterSums& other);
};

struct ProcessCounters {
    std::map<const MpiFunctionRow*, CounterSums> by_function;  // null: outside of MPI
    std::map<int64_t, CounterSums> by_region;                  // by value of the mark; 0: in none
};

// Instructions per cycle, and cycles per ns; both 0 if unknown.
struct CounterRates {
    double ipc = 0, ghz = 0;
};
// `instructions`, `cycles`: their numbers, SIZE_MAX: not counted.
CounterRates rates_of(const CounterSums& sums, size_t instructions, size_t cycles);

class ThreadInCounters {
 public:
    // `numbers`: of the counters of the stream, by place; lives as long as this.
    ThreadInCounters(ProcessCounters& process, std::span<const uint16_t> numbers)
        : process_(process), numbers_(numbers) {}

    // The next event; those that are no borders change nothing.
    void take(EventCode code, std::span<const uint8_t> payload, int64_t clock);
    // A gap begins, or the stream ends.
    void close();

 private:
    void begin(int64_t clock);
    void take_deltas(EventCode code, std::span<const uint8_t> payload, int64_t clock);
    void add(CounterSums& sums, size_t place, uint64_t delta) const;
    void follow_region(EventCode code, std::span<const uint8_t> payload);

    static constexpr int64_t unknown = -1;

    ProcessCounters& process_;
    std::span<const uint16_t> numbers_;
    std::vector<const MpiFunctionRow*> calls_;
    std::vector<int64_t> regions_;
    int64_t border_ = unknown;  // clock of the last one
};

}  // namespace ovni
