// Counters of a thread: the names of `perf list`, the kernel event of each, and its event type in Paraver.
// Used by the library that counts, by ovnirun, which checks names before the program starts, and by the
// emulator. A user gives a list of names:
//
//     default,cache-misses,-rss      words with commas; a group stands for its counters, - leaves one out
#pragma once

#include <linux/perf_event.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ovni {

// The source of a counter.
enum class CounterKind : uint8_t {
    hardware,  // needs a PMU; counts code in user space
    software,  // counted by the kernel
    memory     // no counter: the memory of the process, sampled
};

struct CounterRow {
    std::string_view name, short_name;  // short_name may be empty
    CounterKind kind = CounterKind::hardware;
    uint32_t type = 0;      // perf_event_attr::type
    uint64_t config = 0;    // perf_event_attr::config
    uint32_t prv_type = 0;  // as in views of the established MPI tracer, if it has the counter
};

namespace counter_type {

inline constexpr uint32_t first_raw = 42'001'000, resident_memory = 48'000'000, highest_memory = 48'000'001;

constexpr uint64_t cache(uint64_t which, uint64_t access, uint64_t result) {
    return which | access << 8 | result << 16;
}
constexpr uint64_t loads(uint64_t which) {
    return cache(which, PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS);
}
constexpr uint64_t load_misses(uint64_t which) {
    return cache(which, PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS);
}
constexpr uint64_t stores(uint64_t which) {
    return cache(which, PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS);
}
constexpr uint64_t store_misses(uint64_t which) {
    return cache(which, PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS);
}

}  // namespace counter_type

// Do not move rows: indices are in no stream, but PRV types must not change.
inline constexpr CounterRow counter_rows[] = {
    {"instructions", "", CounterKind::hardware, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 42'000'050},
    {"cycles", "cpu-cycles", CounterKind::hardware, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 42'000'059},
    {"ref-cycles", "", CounterKind::hardware, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 42'000'107},
    {"branch-instructions", "branches", CounterKind::hardware, PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 42'000'055},
    {"branch-misses", "", CounterKind::hardware, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 42'000'046},
    {"cache-references", "", CounterKind::hardware, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES,
     42'000'520},
    {"cache-misses", "", CounterKind::hardware, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 42'000'521},
    {"bus-cycles", "", CounterKind::hardware, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, 42'000'522},
    {"stalled-cycles-frontend", "idle-cycles-frontend", CounterKind::hardware, PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 42'000'523},
    {"stalled-cycles-backend", "idle-cycles-backend", CounterKind::hardware, PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 42'000'524},
    {"L1-dcache-loads", "", CounterKind::hardware, PERF_TYPE_HW_CACHE,
     counter_type::loads(PERF_COUNT_HW_CACHE_L1D), 42'000'540},
    {"L1-dcache-load-misses", "", CounterKind::hardware, PERF_TYPE_HW_CACHE,
     counter_type::load_misses(PERF_COUNT_HW_CACHE_L1D), 42'000'541},
    {"L1-dcache-stores", "", CounterKind::hardware, PERF_TYPE_HW_CACHE,
     counter_type::stores(PERF_COUNT_HW_CACHE_L1D), 42'000'542},
    {"L1-icache-load-misses", "", CounterKind::hardware, PERF_TYPE_HW_CACHE,
     counter_type::load_misses(PERF_COUNT_HW_CACHE_L1I), 42'000'543},
    {"LLC-loads", "", CounterKind::hardware, PERF_TYPE_HW_CACHE, counter_type::loads(PERF_COUNT_HW_CACHE_LL),
     42'000'544},
    {"LLC-load-misses", "", CounterKind::hardware, PERF_TYPE_HW_CACHE,
     counter_type::load_misses(PERF_COUNT_HW_CACHE_LL), 42'000'545},
    {"LLC-stores", "", CounterKind::hardware, PERF_TYPE_HW_CACHE,
     counter_type::stores(PERF_COUNT_HW_CACHE_LL), 42'000'546},
    {"LLC-store-misses", "", CounterKind::hardware, PERF_TYPE_HW_CACHE,
     counter_type::store_misses(PERF_COUNT_HW_CACHE_LL), 42'000'547},
    {"dTLB-loads", "", CounterKind::hardware, PERF_TYPE_HW_CACHE,
     counter_type::loads(PERF_COUNT_HW_CACHE_DTLB), 42'000'548},
    {"dTLB-load-misses", "", CounterKind::hardware, PERF_TYPE_HW_CACHE,
     counter_type::load_misses(PERF_COUNT_HW_CACHE_DTLB), 42'000'549},
    {"dTLB-store-misses", "", CounterKind::hardware, PERF_TYPE_HW_CACHE,
     counter_type::store_misses(PERF_COUNT_HW_CACHE_DTLB), 42'000'550},
    {"iTLB-load-misses", "", CounterKind::hardware, PERF_TYPE_HW_CACHE,
     counter_type::load_misses(PERF_COUNT_HW_CACHE_ITLB), 42'000'551},
    {"node-loads", "", CounterKind::hardware, PERF_TYPE_HW_CACHE,
     counter_type::loads(PERF_COUNT_HW_CACHE_NODE), 42'000'552},
    {"node-load-misses", "", CounterKind::hardware, PERF_TYPE_HW_CACHE,
     counter_type::load_misses(PERF_COUNT_HW_CACHE_NODE), 42'000'553},
    {"task-clock", "", CounterKind::software, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 42'000'500},
    {"cpu-clock", "", CounterKind::software, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 42'000'501},
    {"page-faults", "faults", CounterKind::software, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS,
     42'000'502},
    {"minor-faults", "", CounterKind::software, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN,
     42'000'503},
    {"major-faults", "", CounterKind::software, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
     42'000'504},
    {"context-switches", "cs", CounterKind::software, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
     42'000'505},
    {"cpu-migrations", "migrations", CounterKind::software, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS,
     42'000'506},
    {"alignment-faults", "", CounterKind::software, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS,
     42'000'507},
    {"emulation-faults", "", CounterKind::software, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS,
     42'000'508},
    {"rss", "", CounterKind::memory, 0, 0, counter_type::resident_memory},
};

// Words for several counters.
struct CounterGroupName {
    std::string_view name, counters;
};
inline constexpr CounterGroupName counter_groups[] = {
    {"ipc", "instructions,cycles"},
    {"software", "task-clock,page-faults,context-switches,cpu-migrations"},
    {"default", "instructions,cycles,task-clock,page-faults,context-switches,rss"},
};

// The row of that name; nullptr if there is none.
constexpr const CounterRow* find_counter(std::string_view name) {
    for (const CounterRow& row : counter_rows)
        if (row.name == name || (!row.short_name.empty() && row.short_name == name)) return &row;
    return nullptr;
}

// The processor event of a name of `r` and a hexadecimal number, as for perf. 0 if it is no such name.
constexpr uint64_t raw_counter(std::string_view name) {
    constexpr size_t most_digits = 16;
    if (name.size() < 2 || name.size() > most_digits + 1 || name[0] != 'r') return 0;
    uint64_t config = 0;
    name.remove_prefix(1);
    for (char c : name) {
        bool is_digit = c >= '0' && c <= '9', is_letter = c >= 'a' && c <= 'f';
        if (!is_digit && !is_letter) return 0;
        config = config << 4 | static_cast<uint64_t>(is_digit ? c - '0' : c - 'a' + 10);
    }
    return config;
}

// The counters that a user has chosen, without duplicates, in the order of the list. Names point into the
// list or the table.
class CounterChoice {
 public:
    static constexpr size_t most = 16;

    // Reads the words of a list. Returns the first word that is no counter or exceeds `most`; empty if there
    // is none.
    constexpr std::string_view take(std::string_view list) {
        while (!list.empty()) {
            size_t end = std::min(list.find(','), list.size());
            std::string_view word = list.substr(0, end);
            list.remove_prefix(std::min(end + 1, list.size()));
            if (!word.empty() && !take_word(word)) return word;
        }
        return {};
    }
    constexpr std::span<const CounterRow> rows() const { return {rows_, count_}; }
    constexpr bool is_full() const { return count_ == most; }

 private:
    constexpr bool take_word(std::string_view word) {
        if (word[0] == '-') {
            word.remove_prefix(1);
            return leave_out(word);
        }
        for (const CounterGroupName& group : counter_groups)
            if (group.name == word) return take(group.counters).empty();
        if (const CounterRow* row = find_counter(word)) return add(*row);
        if (uint64_t config = raw_counter(word))
            return add({word, {}, CounterKind::hardware, PERF_TYPE_RAW, config, 0});
        return false;
    }
    constexpr bool add(const CounterRow& row) {
        for (const CounterRow& known : rows())
            if (known.name == row.name) return true;
        if (is_full()) return false;
        rows_[count_++] = row;
        return true;
    }
    constexpr bool leave_out(std::string_view word) {
        const CounterRow* row = find_counter(word);
        std::string_view name = row ? row->name : word;
        size_t kept = 0;
        bool found = row != nullptr;
        for (size_t i = 0; i < count_; ++i) {
            found |= rows_[i].name == name;
            if (rows_[i].name != name) rows_[kept++] = rows_[i];
        }
        count_ = kept;
        return found;
    }

    CounterRow rows_[most];
    size_t count_ = 0;
};

}  // namespace ovni
