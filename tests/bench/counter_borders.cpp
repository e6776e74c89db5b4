// The cost of a border at which counters are read. Two kinds of batches take turns: marks as a program sets
// them, and a bare read() of the same counters, as one group. Prints the median of each in ns, per mark and
// per read; 0 for the reads if LIST is none:
//
//     ovnirun --counters LIST counter-borders LIST [BATCHES]
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/counter_names.hpp"
#include "counters/perf_event.hpp"
#include "ovni.h"
#include "ovni/emit.hpp"

namespace {

using namespace ovni;

constexpr int in_batch = 100;  // shorter than the time that a thread usually has a core

// Its first descriptor, or -1.
int open_group(std::string_view list) {
    CounterChoice choice;
    choice.take(list);
    int leader = counters::no_group;
    for (bool leads : {true, false})
        for (const CounterRow& row : choice.rows()) {
            if (row.kind != CounterKind::software || counters::leads_group(row) != leads) continue;
            const int descriptor = counters::open_counter(row, leader);
            if (leader == counters::no_group) leader = descriptor;
        }
    if (leader >= 0) counters::enable_group(leader);
    return leader;
}

template <class Batch>
double nanoseconds(Batch batch) {
    auto begin = std::chrono::steady_clock::now();
    batch();
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    return time.count() / in_batch;
}

void marks() {
    for (int i = 0; i < in_batch / 2; ++i) {
        ovni_mark_push(1, 1);
        ovni_mark_pop(1, 1);
    }
}

void reads(int group) {
    uint64_t values[3 + CounterChoice::most];
    for (int i = 0; i < in_batch; ++i)
        if (::read(group, values, sizeof values) < 0) std::abort();
}

double median(std::vector<double>& values) {
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    constexpr int usual_batches = 2001;
    if (argc < 2) {
        std::fputs("usage: counter-borders LIST [BATCHES]\n", stderr);
        return 2;
    }
    const int batches = argc > 2 ? std::atoi(argv[2]) : usual_batches;
    const int group = open_group(argv[1]);
    ovni_proc_init(1, "bench", getpid());
    ovni_thread_init(getpid());
    ovni_add_cpu(0, 0);
    ovni::emit("OHx", 0, -1, uint64_t{0});
    ovni_mark_type(1, OVNI_MARK_STACK, "border");
    std::vector<double> of_marks, of_reads;
    for (int i = 0; i < batches; ++i) {
        of_marks.push_back(nanoseconds(marks));
        of_reads.push_back(group < 0 ? 0 : nanoseconds([&] { reads(group); }));
    }
    std::printf("%.1f %.1f\n", median(of_marks), median(of_reads));
    ovni::emit("OHe");
    ovni_thread_free();
    ovni_proc_fini();
}
