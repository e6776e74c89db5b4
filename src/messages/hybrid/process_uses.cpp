#include "messages/hybrid/process_uses.hpp"

#include <algorithm>
#include <utility>

namespace ovni {

namespace {

constexpr double asleep_share = 0.95;

UseTimes difference(const UseTimes& end, const UseTimes& begin) {
    UseTimes times;
    for (size_t use = 0; use < use_count; ++use) times[use] = end[use] - begin[use];
    return times;
}

// In the order of Doing; an idle thread has its use from the phase of the process.
constexpr Use use_of_doing[] = {Use::useful, Use::mpi,   Use::serial,   Use::scheduling,
                                Use::locks,  Use::sleep, Use::imbalance};

}  // namespace

ProcessUses::Phase ProcessUses::phase() const {
    if (in_region_ > 0) return phase_region;
    if (in_mpi_wait_ > 0) return phase_mpi_wait;
    return in_mpi_ > 0 ? phase_mpi : phase_serial;
}

void ProcessUses::advance(int64_t time) {
    clocks_[phase()] += time - now_;
    now_ = time;
}

void ProcessUses::settle(Thread& thread) {
    constexpr Use use_of_phase[] = {Use::serial, Use::during_mpi, Use::mpi_wait};
    for (size_t p = 0; p < phases; ++p) {
        const int64_t passed = clocks_[p] - thread.settled[p];
        if (!thread.lives || passed == 0) continue;
        if (thread.doing != Doing::idle)
            time_of(thread.uses, use_of_doing[static_cast<size_t>(thread.doing)]) += passed;
        else if (p == phase_region)
            thread.idle_in_region += passed;
        else
            time_of(thread.uses, use_of_phase[p]) += passed;
    }
    thread.settled = clocks_;
}

void ProcessUses::settle_all() {
    for (Thread& thread : threads_) settle(thread);
}

Doing ProcessUses::doing_of(const Thread& thread) const {
    if (shown(thread, Shown::mpi) != 0) return Doing::in_mpi;
    const int64_t in_openmp = shown(thread, Shown::openmp);
    // libgomp shows nothing of a worker between two regions.
    if (in_openmp == 0 && thread.is_worker) return Doing::idle;
    const Doing doing = doing_in_openmp(in_openmp);
    return doing == Doing::computing ? doing_in_posix_threads(shown(thread, Shown::posix_wait)) : doing;
}

void ProcessUses::follow_openmp(Thread& thread) {
    const InOpenMp place = place_in_openmp(shown(thread, Shown::openmp));
    thread.has_forked |= place == InOpenMp::forking;
    thread.is_worker |= place == InOpenMp::in_loop_of_workers;
    // A thread that begins a part without a fork works for another one.
    const bool is_main = &thread == threads_.data() || thread.was_in_mpi;
    thread.is_worker |= place == InOpenMp::in_own_part && !thread.has_forked && !is_main;
    if (place == InOpenMp::forking && !thread.in_region) thread.is_worker = false;
    const bool enters =
        place == InOpenMp::forking || place == InOpenMp::in_own_part || place == InOpenMp::in_region;
    if (enters == thread.in_region) return;
    thread.in_region = enters;
    if (enters && in_region_++ == 0) begin_parallel_region();
    thread.has_joined |= enters;
    if (!enters && --in_region_ == 0) end_parallel_region();
}

void ProcessUses::begin_parallel_region() {
    settle_all();
    region_begin_ = now_;
    region_label_ = 0;
    for (Thread& thread : threads_) {
        thread.has_joined = false;
        thread.idle_in_region = 0;
        thread.at_region_begin = thread.uses;
    }
}

void ProcessUses::end_parallel_region() {
    settle_all();
    deal_idle_time();
    // A lock or barrier outside of regions is no region of its own.
    const auto team = std::ranges::count_if(threads_, &Thread::has_joined);
    if (team < 2 && region_label_ == 0) return;
    ConstructUse& construct = constructs_[region_label_];
    construct.label = region_label_;
    ++construct.visits;
    construct.elapsed += now_ - region_begin_;
    construct.threads = std::max(construct.threads, static_cast<uint32_t>(team));
    for (const Thread& thread : threads_)
        if (thread.has_joined) add_times(construct.times, difference(thread.uses, thread.at_region_begin));
}

void ProcessUses::deal_idle_time() {
    int64_t least = INT64_MAX;
    for (const Thread& thread : threads_)
        if (thread.has_joined) least = std::min(least, thread.idle_in_region);
    for (Thread& thread : threads_) {
        const int64_t idle = std::exchange(thread.idle_in_region, 0);
        if (!thread.has_joined) {
            time_of(thread.uses, Use::serial) += idle;
            continue;
        }
        time_of(thread.uses, Use::scheduling) += least;
        time_of(thread.uses, Use::imbalance) += idle - least;
    }
}

void ProcessUses::show(uint32_t place, Shown what, int64_t value, int64_t time) {
    Thread& thread = threads_[place];
    int64_t& now_shown = shown(thread, what);
    if (now_shown == value) return;
    advance(time);
    settle(thread);
    const auto count = [&](uint32_t& threads) {
        if ((now_shown != 0) != (value != 0)) threads += value != 0 ? 1 : -1;
    };
    thread.was_in_mpi |= what == Shown::mpi;
    if (what == Shown::mpi) count(in_mpi_);
    if (what == Shown::mpi_wait) count(in_mpi_wait_);
    now_shown = value;
    thread.lives = shown(thread, Shown::life) != 0;
    if (what == Shown::openmp) follow_openmp(thread);
    if (what == Shown::openmp_region && value != 0) region_label_ = value;
    thread.doing = doing_of(thread);
}

void ProcessUses::open(int64_t region, int64_t time) {
    Open& open = open_[region];
    if (open.depth++ > 0) return;
    advance(std::max(time, now_));
    settle_all();
    deal_idle_time();
    open.since = now_;
    open.before.clear();
    for (const Thread& thread : threads_) open.before.push_back(thread.uses);
}

void ProcessUses::close(int64_t region, int64_t time) {
    const auto found = open_.find(region);
    if (found == open_.end() || found->second.depth == 0 || --found->second.depth > 0) return;
    advance(std::max(time, now_));
    settle_all();
    deal_idle_time();
    Sum& sum = sums_[region];
    sum.elapsed += now_ - found->second.since;
    sum.uses.resize(threads_.size());
    for (size_t t = 0; t < threads_.size(); ++t)
        add_times(sum.uses[t], difference(threads_[t].uses, found->second.before[t]));
}

void ProcessUses::finish(int64_t time) {
    advance(std::max(time, now_));
    if (in_region_ > 0) {
        in_region_ = 0;
        end_parallel_region();
    }
    for (auto& [region, open] : open_) {
        open.depth = std::min(open.depth, 1U);
        close(region, time);
    }
}

// In the run, or else in all that was seen.
std::vector<ProcessUses::Sleeper> ProcessUses::sleepers() const {
    const auto run = sums_.find(0);
    std::vector<Sleeper> all;
    ptrdiff_t lived = 0;
    for (uint32_t t = 0; t < threads_.size(); ++t) {
        const UseTimes& uses = run == sums_.end() ? threads_[t].uses : run->second.uses[t];
        const int64_t life = life_of(uses), asleep = time_of(uses, Use::sleep);
        lived += life > 0 ? 1 : 0;
        if (static_cast<double>(asleep) > asleep_share * static_cast<double>(life))
            all.push_back({t, life, asleep});
    }
    return std::ssize(all) == lived ? std::vector<Sleeper>() : all;
}

std::vector<ProcessUse> ProcessUses::regions() const {
    std::vector<bool> counts(threads_.size(), true);
    for (const Sleeper& sleeper : sleepers()) counts[sleeper.thread] = false;
    std::vector<ProcessUse> all;
    for (const auto& [region, sum] : sums_) {
        ProcessUse& of = all.emplace_back();
        of.region = region;
        of.elapsed = sum.elapsed;
        for (size_t t = 0; t < threads_.size(); ++t) {
            if (!counts[t] || life_of(sum.uses[t]) == 0) continue;
            ++of.threads;
            add_times(of.times, sum.uses[t]);
        }
    }
    return all;
}

}  // namespace ovni
