#include "runtime/thread_life.hpp"

#include <sched.h>

#include <algorithm>
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
    set_phyid(begin_phyid_);
    write_begin(facts);
    own_.set_head(begin_bytes);
    own_.window()->last = begin_clock_;
    own_.header().begin_bytes.store(begin_bytes, std::memory_order_relaxed);
    set_owes_end(true);
}

void ThreadLife::write_begin(const Facts& facts) {
    int index = facts.index_of(begin_phyid_);
    if (index < 0 && phyid() == begin_phyid_) set_phyid(-1);
    Event begin = make_event("OHx", begin_clock_, index, -1, uint64_t{0});
    std::copy_n(begin.bytes, begin.size, own_.ring().data());
}

void ThreadLife::set_owes_end(bool owes) {
    owes_end_ = owes;
    own_.header().life_is_ours.store(owes ? 1 : 0, std::memory_order_release);
}

}  // namespace ovni::writer
