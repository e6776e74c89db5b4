#include "session/report/event_tally.hpp"

#include "model/text_of_number.hpp"

namespace ovni {

EventTally::EventTally(const System& system, const Plan& plan)
    : system_(system),
      sites_(plan.call_sites),
      models_(plan.models.size()),
      counts_(system.processes().size() * plan.models.size()),
      processes_(system.processes().size()),
      counter_numbers_(system.threads().size()),
      of_counters_(system.processes().size()),
      locks_(system.processes().size()) {
    for (const ThreadInfo& thread : system.threads())
        threads_.push_back(
            {thread.process, thread.process * models_, nullptr, nullptr, nullptr, nullptr, {}});
    for (size_t t = 0; t < threads_.size() && !plan.counters_of.empty(); ++t) follow_counters(t, plan);
    for (size_t m = 0; m < models_; ++m)
        model_of_id_[static_cast<uint8_t>(plan.models[m].spec->id)] = static_cast<uint8_t>(m);
}

void EventTally::follow_counters(size_t t, const Plan& plan) {
    const std::vector<uint16_t>& types = plan.counters_of[system_.threads()[t].stream];
    if (types.empty()) return;
    for (uint16_t type : types)
        counter_numbers_[t].push_back(static_cast<uint16_t>(type - prv_type::first_instant));
    auto& process = of_counters_[threads_[t].process];
    if (!process) process = std::make_unique<ProcessCounters>();
    threads_[t].counters =
        std::make_unique<ThreadInCounters>(*process, system_.threads()[t].tid, counter_numbers_[t]);
}

// The emulator closes the calls of a thread at these places, too.
void EventTally::count_other(Thread& thread, const TalliedEvent& event) {
    if (thread.regions) thread.regions->take_gap(event.kind, event.is_pause, event.time);
    if (event.kind == EventView::Kind::gap_end) return;
    if (thread.mpi) thread.mpi->close(event.time);
    if (thread.counters) thread.counters->close();
    if (thread.locks) thread.locks->close(event.time);
}

ThreadInMpi& EventTally::begin_mpi(Thread& thread, uint32_t stream) {
    auto& process = processes_[thread.process];
    if (!process) process = std::make_unique<ProcessInMpi>();
    thread.mpi =
        std::make_unique<ThreadInMpi>(*process, sites_.empty() ? nullptr : &sites_.of_stream(stream));
    return *thread.mpi;
}

void EventTally::define_label(Thread& thread, EventCode code, std::span<const uint8_t> data) {
    if (code != EventCode("POc") && code != EventCode("PNp")) return;
    const TextOfNumber text = text_of_number(data);
    if (code == EventCode("POc"))
        thread.labels[text.number] = text.text;
    else if (const auto label = thread.labels.find(text.number); label != thread.labels.end())
        code_of_[label->second].add(text.text);
}

ProcessLocks& EventTally::locks_of(uint32_t process) {
    auto& locks = locks_[process];
    if (!locks) locks = std::make_unique<ProcessLocks>();
    return *locks;
}

ThreadAtLocks& EventTally::at_locks(Thread& thread) {
    if (!thread.locks) thread.locks = std::make_unique<ThreadAtLocks>(locks_of(thread.process));
    return *thread.locks;
}

ThreadInRegions& EventTally::in_regions(Thread& thread) {
    if (!thread.regions) thread.regions = std::make_unique<ThreadInRegions>(regions_[thread.process]);
    return *thread.regions;
}

void EventTally::finish(int64_t duration) {
    for (Thread& thread : threads_) {
        if (thread.mpi) thread.mpi->close(duration);
        if (thread.locks) thread.locks->close(duration);
        if (thread.regions) thread.regions->close(duration);
    }
}

std::vector<EventCount> EventTally::events() const {
    std::vector<EventCount> all;
    for (size_t i = 0; i < counts_.size(); ++i)
        if (counts_[i] > 0)
            all.push_back(
                {static_cast<uint32_t>(i / models_), static_cast<uint32_t>(i % models_), counts_[i]});
    return all;
}

std::vector<MpiCount> EventTally::mpi() const {
    std::vector<MpiCount> all;
    for (uint32_t p = 0; p < processes_.size(); ++p) {
        if (!processes_[p]) continue;
        for (const auto& [caller, sums] : processes_[p]->sums_by_caller())
            all.push_back({p, static_cast<uint32_t>(caller.function - mpi_function_rows), caller.site, sums});
    }
    return all;
}

std::vector<ComputingCount> EventTally::computing() const {
    const auto call = [](const MpiCaller& caller) -> ComputingCount::Call {
        return {static_cast<uint32_t>(caller.function - mpi_function_rows), caller.site};
    };
    std::vector<ComputingCount> all;
    for (uint32_t p = 0; p < processes_.size(); ++p) {
        if (!processes_[p]) continue;
        for (const BetweenCalls& between : processes_[p]->between_calls())
            all.push_back({p, 0, call(between.from), call(between.to), between.times, between.nanoseconds});
    }
    return all;
}

std::vector<CounterCount> EventTally::counters() const {
    using By = CounterCount::By;
    std::vector<CounterCount> all;
    for (uint32_t p = 0; p < of_counters_.size(); ++p) {
        if (!of_counters_[p]) continue;
        auto add = [&](CounterCount::What what, const CounterSums& sums) {
            CounterCount& count = all.emplace_back();
            count = {p, std::move(what), sums.nanoseconds.number(), {}};
            for (const WideSum& sum : sums.of) count.counts.push_back(sum.number());
        };
        const ProcessCounters& process = *of_counters_[p];
        for (const auto& [function, sums] : process.by_function)
            add({By::function, function ? function - mpi_function_rows : int64_t{CounterCount::no_function},
                 "", ""},
                sums);
        for (const auto& [region, sums] : process.by_region) add({By::region, region, "", ""}, sums);
        for (const auto& [construct, sums] : process.by_construct)
            add({By::construct, 0, std::string(construct.kind), construct.label}, sums);
        for (const auto& [tid, sums] : process.by_thread) add({By::thread, tid, "", ""}, sums);
    }
    return all;
}

std::vector<RegionCount> EventTally::regions() const {
    std::vector<RegionCount> all;
    for (const auto& [process, regions] : regions_)
        for (const auto& [region, sums] : regions) all.push_back({process, region, sums});
    return all;
}

std::vector<LabelCode> EventTally::label_code() const {
    std::vector<LabelCode> all;
    for (const auto& [label, code] : code_of_)
        for (const std::string& text : code.all()) all.push_back({label, text});
    return all;
}

std::vector<LockCount> EventTally::locks() const {
    std::vector<LockCount> all;
    for (uint32_t p = 0; p < locks_.size(); ++p) {
        if (!locks_[p]) continue;
        for (const auto& [lock, sums] : locks_[p]->sums()) {
            LockCount& count = all.emplace_back();
            count = {p, lock.kind, lock.label, sums.waits, sums.nanoseconds.number(), sums.longest, {}, {}};
            for (const auto& [tid, held] : sums.holders)
                count.holders.push_back({tid, held.waits, held.nanoseconds.number()});
            count.code.assign(sums.code.all().begin(), sums.code.all().end());
        }
    }
    return all;
}

}  // namespace ovni
