#include "session/event_tally.hpp"

namespace ovni {

EventTally::EventTally(const System& system, const Plan& plan)
    : system_(system),
      models_(plan.models.size()),
      counts_(system.processes().size() * plan.models.size()),
      processes_(system.processes().size()),
      locks_(system.processes().size()) {
    for (const ThreadInfo& thread : system.threads())
        threads_.push_back({thread.process, thread.process * models_, nullptr, nullptr});
    for (size_t m = 0; m < models_; ++m)
        model_of_id_[static_cast<uint8_t>(plan.models[m].spec->id)] = static_cast<uint8_t>(m);
}

// The emulator closes the calls of a thread at the same places.
void EventTally::count_other(Thread& thread, const TalliedEvent& event) {
    if (event.kind == EventView::Kind::gap_end) return;
    if (thread.mpi) thread.mpi->close(event.time);
    if (thread.locks) thread.locks->close(event.time);
}

ThreadInMpi& EventTally::begin_mpi(Thread& thread) {
    auto& process = processes_[thread.process];
    if (!process) process = std::make_unique<ProcessInMpi>();
    thread.mpi = std::make_unique<ThreadInMpi>(*process);
    return *thread.mpi;
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

void EventTally::finish(int64_t duration) {
    for (Thread& thread : threads_) {
        if (thread.mpi) thread.mpi->close(duration);
        if (thread.locks) thread.locks->close(duration);
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
        for (const auto& [function, sums] : processes_[p]->sums())
            all.push_back({p, static_cast<uint32_t>(function - mpi_function_rows), sums});
    }
    return all;
}

std::vector<LockCount> EventTally::locks() const {
    std::vector<LockCount> all;
    for (uint32_t p = 0; p < locks_.size(); ++p) {
        if (!locks_[p]) continue;
        for (const auto& [lock, sums] : locks_[p]->sums()) {
            LockCount& count = all.emplace_back();
            count = {p, lock.kind, lock.label, sums.waits, sums.nanoseconds.number(), sums.longest, {}};
            for (const auto& [tid, held] : sums.holders)
                count.holders.push_back({tid, held.waits, held.nanoseconds.number()});
        }
    }
    return all;
}

}  // namespace ovni
