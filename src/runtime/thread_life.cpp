#include "runtime/thread_life.hpp"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "ring/event.hpp"

namespace ovni::writer {

ThreadLife::ThreadLife(OwnRing& own, Owner owner)
    : own_(own), phase_(owner == Owner::ours ? Phase::running : Phase::unborn), owner_(owner), born_(owner) {}

void ThreadLife::begin(const Facts& facts, uint64_t since, Shares shares) {
    const uint64_t now = clock_now();
    begin_clock_ = since == 0 ? now : std::min(since, now);
    std::vector<int> cpus = affinity_of_this_thread();
    const bool is_bound = cpus.size() == 1;
    is_sampled_ = facts.samples_cpus && (!is_bound || shares == Shares::maybe);
    begin_phyid_ = is_bound ? cpus[0] : is_sampled_ ? sched_getcpu() : -1;
    set_phyid(facts.index_of(begin_phyid_) < 0 ? -1 : begin_phyid_);
    append_begin(facts, begin_clock_, begin_phyid_);
    own_.window()->last = begin_clock_;
    set_owes_end(true);
}

void ThreadLife::append_begin(const Facts& facts, uint64_t clock, int phyid) {
    if (!own_.is_placed()) beginnings_.push_back({own_.head(), phyid});
    const Event begin = make_event("OHx", clock, facts.index_of(phyid), -1, uint64_t{0});
    own_.store(begin.bytes, begin.size);
    own_.header().begin_bytes.store(static_cast<uint32_t>(own_.head()), std::memory_order_relaxed);
}

void ThreadLife::write_begin(const Facts& facts) {
    if (phyid() == begin_phyid_ && facts.index_of(begin_phyid_) < 0) set_phyid(-1);
    for (const Beginning& beginning : beginnings_) {
        const int32_t index = facts.index_of(beginning.phyid);
        memcpy(own_.ring().at(beginning.at) + OVNI_FORMAT_EVENT_HEADER, &index, sizeof index);
    }
}

void ThreadLife::begin_next(const Facts& facts, uint64_t ended, const ThreadLife& next, uint64_t begun) {
    const Event end = make_event("OHe", ended);
    own_.store(end.bytes, end.size);
    append_begin(facts, begun, next.begin_phyid_);
}

void ThreadLife::set_owes_end(bool owes) {
    owes_end_ = owes;
    own_.header().life_is_ours.store(owes ? 1 : 0, std::memory_order_release);
}

}  // namespace ovni::writer
