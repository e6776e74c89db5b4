#include "sink/page/region_instances.hpp"

#include <algorithm>
#include <tuple>

namespace ovni {

void RegionInstances::take(const Record& record) {
    std::vector<int64_t>& open = open_[record.thread_row];
    const bool returns = record.value == 0 || std::ranges::find(open, record.value) != open.end();
    if (!returns) {
        open.push_back(record.value);
        return enter(record.value, record);
    }
    while (!open.empty() && open.back() != record.value) {
        leave(open.back(), record);
        open.pop_back();
    }
}

void RegionInstances::enter(int64_t region, const Record& record) {
    if (first_.contains(region)) return;
    const RegionInstance instance{.region = region, .from = record.time, .row = record.thread_row};
    first_[region] = changed_[region] = instance;
}

void RegionInstances::leave(int64_t region, const Record& record) {
    const auto known = first_.find(region);
    if (known == first_.end() || known->second.row != record.thread_row) return;
    if (known->second.to != INT64_MAX) return;
    known->second.to = record.time;
    changed_[region] = known->second;
}

std::vector<RegionInstance> RegionInstances::share(const Ranks& ranks) {
    std::vector<RegionInstance> mine;
    for (const auto& [region, instance] : changed_) mine.push_back(instance);
    changed_.clear();
    std::map<int64_t, RegionInstance> all;
    for (const std::vector<RegionInstance>& of_rank : ranks.allgather(mine))
        for (const RegionInstance& instance : of_rank) {
            const auto [known, is_new] = all.try_emplace(instance.region, instance);
            if (!is_new &&
                std::tuple(instance.from, instance.row) < std::tuple(known->second.from, known->second.row))
                known->second = instance;
        }
    std::vector<RegionInstance> changed;
    for (const auto& [region, instance] : all) {
        first_[region] = instance;
        changed.push_back(instance);
    }
    std::ranges::sort(changed, {},
                      [](const RegionInstance& i) { return std::tuple(i.from, i.row, i.region); });
    return changed;
}

}  // namespace ovni
