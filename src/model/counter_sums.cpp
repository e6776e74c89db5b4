#include "model/counter_sums.hpp"

#include <algorithm>
#include <cstring>

#include "model/counter_deltas.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

// A stream with missing events may have calls and regions that never end.
constexpr size_t deepest = 512;

template <class Item>
void push(std::vector<Item>& stack, Item item) {
    if (stack.size() == deepest) stack.clear();
    stack.push_back(item);
}

bool is_border_of_mark(EventCode code) {
    return code.category() == 'M' && (code.value() == '[' || code.value() == ']');
}

double ratio(WideSum a, WideSum b) {
    return b.number() == 0 ? 0 : static_cast<double>(a.number()) / static_cast<double>(b.number());
}

}  // namespace

CounterSums& CounterSums::operator+=(const CounterSums& other) {
    nanoseconds += other.nanoseconds;
    of.resize(std::max(of.size(), other.of.size()));
    for (size_t i = 0; i < other.of.size(); ++i) of[i] += other.of[i];
    return *this;
}

CounterRates rates_of(const CounterSums& sums, size_t instructions, size_t cycles) {
    if (cycles >= sums.of.size()) return {};
    CounterRates rates;
    if (instructions < sums.of.size()) rates.ipc = ratio(sums.of[instructions], sums.of[cycles]);
    rates.ghz = ratio(sums.of[cycles], sums.nanoseconds);
    return rates;
}

void ThreadInCounters::take(EventCode code, std::span<const uint8_t> payload, int64_t clock) {
    switch (code.model()) {
        case 'C':
            return take_deltas(code, payload, clock);
        case 'O':
            if (is_border_of_mark(code)) begin(clock);
            return follow_region(code, payload);
        case 'M': {
            const MpiEvent event(code, payload);
            if (event.step() == MpiStep::enter) push(calls_, event.function());
            if (event.step() == MpiStep::leave && !calls_.empty()) calls_.pop_back();
            if (event.function()) begin(clock);
            return;
        }
        default:
            return;
    }
}

// The first border of a thread has no deltas: its event tells when it was.
void ThreadInCounters::begin(int64_t clock) {
    if (border_ == unknown) border_ = clock;
}

void ThreadInCounters::close() {
    calls_.clear();
    regions_.clear();
    border_ = unknown;
}

void ThreadInCounters::add(CounterSums& sums, size_t place, uint64_t delta) const {
    if (place >= numbers_.size()) return;
    const size_t number = numbers_[place];
    if (sums.of.size() <= number) sums.of.resize(number + 1);
    sums.of[number] += delta;
}

// All deltas of a border have its clock; the length of the stretch counts with the first of them.
void ThreadInCounters::take_deltas(EventCode code, std::span<const uint8_t> payload, int64_t clock) {
    const auto deltas = counter_deltas(code, payload);
    if (!deltas) return;
    CounterSums& of_function = process_.by_function[calls_.empty() ? nullptr : calls_.back()];
    CounterSums& of_region = process_.by_region[regions_.empty() ? 0 : regions_.back()];
    if (deltas->first == 0) {
        if (border_ != unknown)
            for (CounterSums* sums : {&of_function, &of_region}) sums->nanoseconds.add_time(border_, clock);
        border_ = clock;
    }
    for (size_t i = 0; i < deltas->count; ++i) {
        add(of_function, deltas->first + i, deltas->values[i]);
        add(of_region, deltas->first + i, deltas->values[i]);
    }
}

void ThreadInCounters::follow_region(EventCode code, std::span<const uint8_t> payload) {
    int64_t value = 0;
    int32_t type = 0;
    if (code.category() != 'M' || payload.size() != sizeof value + sizeof type) return;
    std::memcpy(&value, payload.data(), sizeof value);
    std::memcpy(&type, payload.data() + sizeof value, sizeof type);
    if (type != OVNI_MPI_REGION_MARK) return;
    if (code.value() == '[') push(regions_, value);
    if (code.value() == ']' && !regions_.empty()) regions_.pop_back();
}

}  // namespace ovni
