#include "emu/event_tally.hpp"

#include <algorithm>

namespace ovni {

EventTally::EventTally(const System& system, const Plan& plan)
    : system_(system),
      models_(plan.models.size()),
      counts_(system.processes().size() * plan.models.size()),
      processes_(system.processes().size()),
      threads_(system.threads().size()) {
    for (size_t m = 0; m < models_; ++m)
        model_of_id_[static_cast<uint8_t>(plan.models[m].spec->id)] = static_cast<uint8_t>(m);
}

void EventTally::append(const EventView& event, int64_t time) {
    Pending& pending = pending_.emplace_back();
    pending.time = time;
    pending.clock = event.raw_clock();
    pending.order = event.order;
    pending.thread = system_.thread_of_stream(event.stream);
    pending.code = event.code;
    // The long ones of MPI tell of objects, not of calls.
    if (event.code.model() != 'M' || event.jumbo()) return;
    auto payload = event.payload();
    pending.size = static_cast<uint8_t>(payload.size());
    std::ranges::copy(payload, pending.payload.begin());
}

void EventTally::count(const Pending& event) {
    uint32_t process = system_.threads()[event.thread].process;
    ++counts_[process * models_ + model_of_id_[static_cast<uint8_t>(event.code.model())]];
    if (event.code.model() != 'M') return;
    if (!processes_[process]) processes_[process] = std::make_unique<ProcessInMpi>();
    auto& thread = threads_[event.thread];
    if (!thread) thread = std::make_unique<ThreadInMpi>(*processes_[process]);
    thread->take(event.code, std::span(event.payload).first(event.size), event.clock);
}

void EventTally::settle(int64_t before) {
    auto final = [&](const Pending& event) { return event.time < before; };
    auto rest = std::ranges::partition_point(pending_, final);
    std::for_each(pending_.begin(), rest, [&](const Pending& event) { count(event); });
    pending_.erase(pending_.begin(), rest);
}

void EventTally::finish(Moment end) {
    for (const Pending& event : pending_)
        if (Moment(event.time, event.order) <= end) count(event);
    pending_.clear();
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
        for (const auto& [function, sums] : processes_[p]->sums())
            all.push_back({p, static_cast<uint32_t>(function - mpi_function_rows), sums});
    }
    return all;
}

}  // namespace ovni
