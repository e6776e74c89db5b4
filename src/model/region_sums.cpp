#include "model/region_sums.hpp"

#include <algorithm>

#include "model/mpi_region.hpp"

namespace ovni {

RegionSums& RegionSums::operator+=(const RegionSums& other) {
    visits += other.visits;
    inclusive += other.inclusive;
    exclusive += other.exclusive;
    return *this;
}

void Spread::add(WideSum ns) {
    least = std::min(least, ns.number());
    most = std::max(most, ns.number());
    ++processes;
    sum += ns;
}

void RegionInAll::add(const RegionSums& of_process) {
    sums += of_process;
    inclusive.add(of_process.inclusive);
    exclusive.add(of_process.exclusive);
}

void ThreadInRegions::take(EventCode code, std::span<const uint8_t> payload, int64_t clock) {
    const auto border = mpi_region_border(code, payload);
    if (!border) return;
    auto is_it = [&](const Open& open) { return open.region == border->region; };
    const bool is_open = std::ranges::any_of(open_, is_it);
    if (border->opens) {
        if (!open_.empty()) sums_[open_.back().region].exclusive.add_time(since_, clock);
        if (!is_open && !interrupted_.goes_on(border->region, clock)) ++sums_[border->region].visits;
        open_.push_back({border->region, clock, is_open});
        since_ = clock;
    } else if (is_open) {
        // Regions inside that were not closed end here, too.
        while (!is_it(open_.back())) leave(clock);
        leave(clock);
    }
}

void ThreadInRegions::take_gap(EventView::Kind kind, bool is_pause, int64_t clock) {
    close(clock);
    interrupted_.take_gap(kind, is_pause, clock);
}

void ThreadInRegions::close(int64_t clock) {
    while (!open_.empty()) leave(clock);
}

void ThreadInRegions::leave(int64_t clock) {
    const Open open = open_.back();
    open_.pop_back();
    RegionSums& sums = sums_[open.region];
    sums.exclusive.add_time(since_, clock);
    if (!open.is_inside_of_itself) {
        sums.inclusive.add_time(open.since, clock);
        interrupted_.leave(open.region, clock);
    }
    since_ = clock;
}

}  // namespace ovni
