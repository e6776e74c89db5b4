#include "emu/record_queue.hpp"

#include <algorithm>
#include <iterator>

namespace ovni {

void RecordQueue::take_before(int64_t time, RecordBuffer& taken) {
    if (!sorted_) std::ranges::stable_sort(records_, in_order);
    sorted_ = true;
    const Record* end =
        std::ranges::partition_point(records_, [&](const Record& record) { return record.time < time; });
    auto count = static_cast<size_t>(end - records_.begin());
    taken.resize_for_overwrite(records_.size() - count);
    std::copy(std::as_const(records_).begin() + count, std::as_const(records_).end(), taken.begin());
    records_.truncate(count);
    taken.swap(records_);
}

}  // namespace ovni
