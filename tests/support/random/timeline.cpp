#include "tests/support/random/timeline.hpp"

#include <algorithm>

#include "tests/support/random/actors.hpp"

namespace ovni::test::random_trace {

bool Touched::by_others(int64_t time, const Thread& thread, const Resources& resources) const {
    if (time != time_) return false;
    return std::ranges::any_of(resources, [&](const Resource& resource) {
        auto found = threads_.find(resource);
        return found != threads_.end() && found->second != &thread;
    });
}

void Touched::add(int64_t time, const Thread& thread, const Resources& resources) {
    if (time != time_) threads_.clear();
    time_ = time;
    for (const Resource& resource : resources) threads_[resource] = &thread;
}

int64_t Timeline::next(const Thread& thread, const Resources& resources) {
    constexpr int longest_step = 20;
    bool tie = dice_.percent(&thread == last_ ? within_ : between_) && wait_ == 0;
    if (!tie || thread.loom.touched.by_others(now_, thread, resources))
        now_ += wait_ + 1 + dice_.below(longest_step);
    wait_ = 0;
    last_ = &thread;
    thread.loom.touched.add(now_, thread, resources);
    return now_;
}

}  // namespace ovni::test::random_trace
