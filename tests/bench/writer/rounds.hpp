// Runs the loops of a variant by pinned threads and takes their times. Every slice of the variant stands
// next to one of what it is compared with, in the same process and moment, so that a change of the machine's
// speed touches both.
#pragma once

#include <string>
#include <vector>

#include "tests/bench/writer/loops.hpp"

namespace ovni::bench {

struct Plan {
    unsigned threads = 1;
    unsigned slices = 1;
    uint64_t events = 1'000'000;  // of a thread in one slice
};

// ns per event, the mean of the threads.
struct PerEvent {
    double cpu = 0, wall = 0;
};

struct Slice {
    PerEvent base, variant;
};

// In a tight loop, against storing as many bytes.
std::vector<Slice> rate_tight(const Variant& variant, const Plan& plan);
// Inside work, against the work alone.
std::vector<Slice> rate_in_work(const Variant& variant, const Plan& plan);

struct Latencies {
    Histogram base, variant;  // of the first thread
    double tick = 0;          // ns
};

// Latencies of single events; slices of storing in between.
Latencies latencies(const Variant& variant, const Plan& plan);

// Emits and does nothing else.
void emit_only(const Variant& variant, const Plan& plan);

}  // namespace ovni::bench
