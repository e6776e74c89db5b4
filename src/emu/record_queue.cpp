#include "emu/record_queue.hpp"

#include <algorithm>

namespace ovni {

std::vector<Record> RecordQueue::take_before(int64_t time) {
    if (!sorted_) {
        std::ranges::stable_sort(records_, in_order);
        sorted_ = true;
    }
    auto end = std::ranges::partition_point(records_, [&](const Record& r) { return r.time < time; });
    std::vector<Record> rest(end, records_.end());
    records_.erase(end, records_.end());
    std::swap(rest, records_);
    return rest;
}

}  // namespace ovni
