#include "model/counter_sums.hpp"

#include <algorithm>
#include <cstring>

#include "model/counter_deltas.hpp"
#include "model/mpi_region.hpp"
#include "model/pthread_objects.hpp"

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

constexpr std::string_view parallel_region = "parallel region", task = "task", barrier = "barrier",
                           wait = "wait";

uint32_t number_at(std::span<const uint8_t> payload, size_t place) {
    uint32_t number = 0;
    if ((place + 1) * sizeof number <= payload.size())
        std::memcpy(&number, payload.data() + place * sizeof number, sizeof number);
    return number;
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
        case 'P':
            return follow_openmp(code, payload, clock);
        case 'H':
            return follow_wait(code, clock);
        default:
            return;
    }
}

void ThreadInCounters::define(EventCode code, std::span<const uint8_t> data) {
    if (code != EventCode("POc") || data.size() <= sizeof(uint32_t)) return;
    const std::span<const uint8_t> label = data.subspan(sizeof(uint32_t));
    labels_.try_emplace(number_at(data, 0), label.begin(), std::ranges::find(label, uint8_t{0}));
}

std::string ThreadInCounters::label_of(uint32_t type) const {
    const auto label = labels_.find(type);
    return label == labels_.end() ? std::string() : label->second;
}

// The first border of a thread has no deltas: its event has the time of the border.
void ThreadInCounters::begin(int64_t clock) {
    if (border_ == unknown) border_ = clock;
}

void ThreadInCounters::close() {
    calls_.clear();
    regions_.clear();
    constructs_.clear();
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
    uint64_t ns = 0;
    if (code == EventCode("CSn") && payload.size() == sizeof ns) {
        std::memcpy(&ns, payload.data(), sizeof ns);
        border_ = clock - static_cast<int64_t>(std::min<uint64_t>(ns, std::max<int64_t>(clock, 0)));
    }
    const auto deltas = counter_deltas(code, payload);
    if (!deltas) return;
    CounterSums* const all[] = {
        &process_.by_function[calls_.empty() ? nullptr : calls_.back()],
        &process_.by_region[regions_.empty() ? 0 : regions_.back()],
        &process_.by_construct[constructs_.empty() ? CountedConstruct() : constructs_.back()],
        &process_.by_thread[tid_],
    };
    for (CounterSums* sums : all) {
        if (deltas->first == 0 && border_ != unknown) sums->nanoseconds.add_time(border_, clock);
        for (size_t i = 0; i < deltas->count; ++i) add(*sums, deltas->first + i, deltas->values[i]);
    }
    if (deltas->first == 0) border_ = clock;
}

void ThreadInCounters::enter(std::string_view kind, std::string label, int64_t clock) {
    begin(clock);
    push(constructs_, CountedConstruct{kind, std::move(label)});
}

void ThreadInCounters::leave(std::string_view kind, int64_t clock) {
    begin(clock);
    if (!constructs_.empty() && constructs_.back().kind == kind) constructs_.pop_back();
}

void ThreadInCounters::follow_openmp(EventCode code, std::span<const uint8_t> payload, int64_t clock) {
    if (code == EventCode("PR[")) return enter(parallel_region, label_of(number_at(payload, 0)), clock);
    if (code == EventCode("PR]")) return leave(parallel_region, clock);
    if (code == EventCode("PBb") || code == EventCode("PBj")) return enter(barrier, "", clock);
    if (code == EventCode("PBB") || code == EventCode("PBJ")) return leave(barrier, clock);
    if (code == EventCode("PPe")) return leave(task, clock);
    if (code == EventCode("PPc")) made_task_ = number_at(payload, 0), type_of_made_ = number_at(payload, 1);
    if (code == EventCode("PPx"))
        enter(task, number_at(payload, 0) == made_task_ ? label_of(type_of_made_) : "", clock);
}

void ThreadInCounters::follow_wait(EventCode code, int64_t clock) {
    if (code.value() == '[') return enter(wait, std::string(pthread_kind(code)), clock);
    if (code.value() == ']') leave(wait, clock);
}

void ThreadInCounters::follow_region(EventCode code, std::span<const uint8_t> payload) {
    const auto border = mpi_region_border(code, payload);
    if (!border) return;
    if (border->opens)
        push(regions_, border->region);
    else if (!regions_.empty())
        regions_.pop_back();
}

}  // namespace ovni
