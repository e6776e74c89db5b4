#include "session/event_tally.hpp"

namespace ovni {

EventTally::EventTally(const System& system, const Plan& plan)
    : system_(system),
      sites_(plan.call_sites),
      models_(plan.models.size()),
      counts_(system.processes().size() * plan.models.size()),
      processes_(system.processes().size()) {
    for (const ThreadInfo& thread : system.threads())
        threads_.push_back({thread.process, thread.process * models_, nullptr});
    for (size_t m = 0; m < models_; ++m)
        model_of_id_[static_cast<uint8_t>(plan.models[m].spec->id)] = static_cast<uint8_t>(m);
}

// The emulator closes the calls of a thread at the same places.
void EventTally::count_other(Thread& thread, const TalliedEvent& event) {
    if (thread.mpi && event.kind != EventView::Kind::gap_end) thread.mpi->close(event.time);
}

ThreadInMpi& EventTally::begin_mpi(Thread& thread, uint32_t stream) {
    auto& process = processes_[thread.process];
    if (!process) process = std::make_unique<ProcessInMpi>();
    thread.mpi =
        std::make_unique<ThreadInMpi>(*process, sites_.empty() ? nullptr : &sites_.of_stream(stream));
    return *thread.mpi;
}

void EventTally::finish(int64_t duration) {
    for (Thread& thread : threads_)
        if (thread.mpi) thread.mpi->close(duration);
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

}  // namespace ovni
