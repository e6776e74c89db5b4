#include "counters/usage_counters.hpp"

#include <sys/resource.h>
#include <time.h>

namespace ovni::counters {

namespace {

uint64_t thread_clock() noexcept {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

bool is_clock(uint64_t what) noexcept {
    return what == PERF_COUNT_SW_TASK_CLOCK || what == PERF_COUNT_SW_CPU_CLOCK;
}

uint64_t count_of(const rusage& usage, uint64_t what) noexcept {
    switch (what) {
        case PERF_COUNT_SW_PAGE_FAULTS:
            return static_cast<uint64_t>(usage.ru_minflt + usage.ru_majflt);
        case PERF_COUNT_SW_PAGE_FAULTS_MIN:
            return static_cast<uint64_t>(usage.ru_minflt);
        case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
            return static_cast<uint64_t>(usage.ru_majflt);
        default:
            return static_cast<uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw);
    }
}

}  // namespace

bool UsageCounters::has(const CounterRow& row) noexcept {
    if (row.type != PERF_TYPE_SOFTWARE) return false;
    return is_clock(row.config) || row.config == PERF_COUNT_SW_PAGE_FAULTS ||
           row.config == PERF_COUNT_SW_PAGE_FAULTS_MIN || row.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ ||
           row.config == PERF_COUNT_SW_CONTEXT_SWITCHES;
}

bool UsageCounters::add(const CounterRow& row, size_t place) noexcept {
    if (!has(row) || size_ == CounterChoice::most) return false;
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    uint64_t now = is_clock(row.config) ? thread_clock() : count_of(usage, row.config);
    members_[size_++] = {static_cast<uint32_t>(row.config), static_cast<uint8_t>(place), now};
    return true;
}

void UsageCounters::read(uint64_t* deltas) noexcept {
    if (size_ == 0) return;
    rusage usage{};
    bool is_read = false;
    for (size_t i = 0; i < size_; ++i) {
        Member& member = members_[i];
        if (!is_clock(member.what) && !is_read) is_read = getrusage(RUSAGE_THREAD, &usage) == 0;
        uint64_t now = is_clock(member.what) ? thread_clock() : count_of(usage, member.what);
        deltas[member.place] += now - member.last;
        member.last = now;
    }
}

}  // namespace ovni::counters
