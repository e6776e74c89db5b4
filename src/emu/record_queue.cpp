#include "emu/record_queue.hpp"

namespace ovni {

void RecordQueue::take_before(int64_t time, std::vector<Record>& taken) {
    if (!sorted_) std::ranges::stable_sort(records_, in_order);
    sorted_ = true;
    auto end = std::ranges::partition_point(records_, [&](const Record& r) { return r.time < time; });
    taken.assign(end, records_.end());
    records_.erase(end, records_.end());
    std::swap(taken, records_);
}

}  // namespace ovni
