#include "sink/perfetto/shown_waits.hpp"

#include <algorithm>
#include <map>

namespace ovni {

std::vector<WaitRow> shown_waits(std::vector<WaitRow> waits) {
    constexpr auto failed_tests = static_cast<int32_t>(WaitKind::failed_tests);
    std::ranges::sort(waits, {}, &WaitRow::key);
    std::map<int32_t, WaitRow*> before;  // by thread
    for (WaitRow& wait : waits) {
        WaitRow*& last = before[wait.thread];
        if (last && wait.time < last->end && wait.time > last->time && last->wait == failed_tests)
            last->end = wait.time;
        if (last) wait.time = std::max(wait.time, last->end);
        if (wait.time < wait.end) last = &wait;
    }
    std::erase_if(waits, [](const WaitRow& wait) { return wait.time >= wait.end; });
    std::ranges::sort(waits, {}, &WaitRow::key);
    return waits;
}

}  // namespace ovni
