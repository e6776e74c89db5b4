// Problems share these: computing that takes no CPU, and the books of what a problem costs.
#pragma once

#include <chrono>

namespace planted {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct Facts {
    Seconds lost{};  // by all threads of this rank
    int line = 0;    // of the source: where they were lost, or others were kept waiting
    long messages = 0;
    bool is_to_blame = false;
};
inline Facts facts;
inline int rank = 0, ranks = 0;

// Sleeps, so that ranks leave the CPUs to each other.
void compute(int ms);

// The time until the end of the scope is lost in the call that stands in the next line.
class Loses {
 public:
    explicit Loses(int line = __builtin_LINE()) { facts.line = line + 1; }
    ~Loses() { facts.lost += Clock::now() - begin_; }
    Loses(const Loses&) = delete;
    Loses& operator=(const Loses&) = delete;

 private:
    const Clock::time_point begin_ = Clock::now();
};

// Others wait for the call that stands in the next line.
inline void keeps_others_waiting(int line = __builtin_LINE()) {
    facts.line = line + 1;
    facts.is_to_blame = true;
}

// Problems of messages.
void chain();
void deadlock();
void late_sender();
void message_storm();
void polling_wait();
void polling_with_work();

// Problems of how work is shared.
void balanced();
void lock_contention();
void one_writer();
void region_imbalance();
void slow_host();
void unmarked_imbalance();

}  // namespace planted
