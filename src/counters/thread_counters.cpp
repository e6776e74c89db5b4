#include "counters/thread_counters.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "counters/memory_use.hpp"
#include "counters/perf_event.hpp"
#include "counters/report.hpp"
#include "counters/wanted.hpp"
#include "ovni/counter_events.h"
#include "ovni/emit.hpp"
#include "ovni/private.h"

namespace ovni::counters {

namespace {

constexpr EventCode narrow[] = {"C4A", "C4B", "C4C", "C4D"};
constexpr EventCode wide[] = {"C8A", "C8B", "C8C", "C8D", "C8E", "C8F", "C8G", "C8H"};

// The clock of the last sample of memory in this process.
std::atomic<uint64_t> last_sample{0};

bool is_time_for_memory(uint64_t at) noexcept {
    constexpr uint64_t between_samples = 20'000'000;  // ns
    uint64_t last = last_sample.load(std::memory_order_relaxed);
    if (last != 0 && at < last + between_samples) return false;
    return last_sample.compare_exchange_strong(last, at, std::memory_order_relaxed);
}

// Emits up to `count` numbers of the width of T as one event.
template <class T>
void emit_some(EventCode code, uint64_t at, const uint64_t* deltas, size_t count) noexcept {
    ovni::detail::PayloadBits bits = 0;
    for (size_t i = count; i-- > 0;) bits = bits << 8 * sizeof(T) | static_cast<T>(deltas[i]);
    ovni::emit_bits_at(code, at, bits, static_cast<unsigned>(count * sizeof(T)));
}

}  // namespace

// Null if all groups are in use.
CounterGroup* ThreadCounters::group_for(const CounterRow& row) noexcept {
    for (CounterGroup& group : groups_)
        if (!group.is_empty() && group.takes(row)) return &group;
    for (CounterGroup& group : groups_)
        if (group.is_empty()) return &group;
    return nullptr;
}

bool ThreadCounters::open_one(const CounterRow& row) noexcept {
    CounterGroup* group = group_for(row);
    const bool is_in_group = group && !group->is_empty();
    const int error = group ? group->add(row, size_) : ENOSPC;
    if (error == 0 || usage_.add(row, size_)) return true;
    report_refused(row, cause_of(row, error, is_in_group));
    return false;
}

// Clocks come first, as they lead groups.
void ThreadCounters::open() noexcept {
    is_open_ = true;
    for (bool leads : {true, false})
        for (const CounterRow& row : wanted_counters())
            if (row.kind != CounterKind::memory && leads_group(row) == leads && open_one(row))
                rows_[size_++] = &row;
    for (CounterGroup& group : groups_) group.begin();
}

void ThreadCounters::read_groups() noexcept {
    std::fill_n(deltas_, size_, 0);
    has_deltas_ = size_ > 0;
    for (CounterGroup& group : groups_) {
        if (group.is_empty()) continue;
        const CounterGroup::Reading reading = group.read(deltas_);
        if (reading == CounterGroup::Reading::scaled) report_scaled();
        if (reading != CounterGroup::Reading::gone) continue;
        report_closed();
        close();
        return;
    }
    usage_.read(deltas_);
}

void ThreadCounters::read() noexcept {
    if (is_busy_) return;
    is_busy_ = true;
    if (is_open_)
        read_groups();
    else
        open();
    is_busy_ = false;
}

void ThreadCounters::count_from(uint64_t at) noexcept {
    read();
    since_ = at;
    is_described_ = ovni_private_program_describes_itself() != 0;
}

void ThreadCounters::name(const char* version) noexcept {
    const char* names[CounterChoice::most];
    size_t count = 0;
    char room[CounterChoice::most][32];
    auto add = [&](const CounterRow& row) {
        if (count == CounterChoice::most) return;
        const size_t length = std::min(row.name.size(), sizeof room[count] - 1);
        memcpy(room[count], row.name.data(), length);
        room[count][length] = '\0';
        names[count] = room[count];
        ++count;
    };
    for (size_t i = 0; i < size_; ++i) add(*rows_[i]);
    for (const CounterRow& row : wanted_counters())
        if (row.kind == CounterKind::memory) add(row);
    ovni_private_name_counters(names, count);
    ovni_private_require(OVNI_COUNTERS_MODEL, version);
    is_named_ = true;
}

// A program that describes itself shows nothing from before its own beginning: then this border is the first.
void ThreadCounters::emit_since(uint64_t at) noexcept {
    const uint64_t since = since_;
    since_ = 0;
    has_deltas_ = is_described_ == (ovni_private_program_describes_itself() != 0);
    if (!has_deltas_) return;
    name(OVNI_COUNTERS_VERSION);
    ovni::emit_at("CSn", at, at > since ? at - since : 0);
}

void ThreadCounters::emit_deltas(uint64_t at) noexcept {
    for (size_t first = 0; first < size_; first += OVNI_COUNTERS_IN_NARROW) {
        const size_t count = std::min<size_t>(size_ - first, OVNI_COUNTERS_IN_NARROW);
        const uint64_t* deltas = deltas_ + first;
        if (std::all_of(deltas, deltas + count, [](uint64_t delta) { return delta <= UINT32_MAX; })) {
            emit_some<uint32_t>(narrow[first / OVNI_COUNTERS_IN_NARROW], at, deltas, count);
            continue;
        }
        for (size_t i = 0; i < count; i += OVNI_COUNTERS_IN_WIDE)
            emit_some<uint64_t>(wide[(first + i) / OVNI_COUNTERS_IN_WIDE], at, deltas + i,
                                std::min<size_t>(count - i, OVNI_COUNTERS_IN_WIDE));
    }
}

void ThreadCounters::emit_memory(uint64_t at) noexcept {
    MemoryUse use;
    if (is_time_for_memory(at) && read_memory(use)) ovni::emit_at("CRm", at, use.resident, use.highest);
}

void ThreadCounters::emit(uint64_t at) noexcept {
    if (is_busy_ || !(has_deltas_ || wants_memory())) return;
    is_busy_ = true;
    if (has_deltas_ && since_ != 0) emit_since(at);
    if (!is_named_ && (has_deltas_ || wants_memory())) name(OVNI_COUNTERS_VERSION_OF_DELTAS);
    if (has_deltas_) emit_deltas(at);
    has_deltas_ = false;
    if (wants_memory()) emit_memory(at);
    is_busy_ = false;
}

void ThreadCounters::close() noexcept {
    for (CounterGroup& group : groups_) group.close();
    size_ = 0;
    has_deltas_ = false;
}

void ThreadCounters::start_over() noexcept {
    close();
    usage_ = UsageCounters();
    is_busy_ = false;
    since_ = 0;
    is_open_ = is_named_ = false;
}

}  // namespace ovni::counters
