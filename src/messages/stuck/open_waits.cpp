#include "messages/stuck/open_waits.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ovni {

std::vector<std::vector<uint32_t>> circles_of(const System& system, const std::vector<OpenWait>& waits) {
    using Thread = std::pair<uint32_t, int>;  // process, tid
    auto thread_of = [&](uint32_t stream) -> const ThreadInfo& {
        return system.threads()[system.thread_of_stream(stream)];
    };
    std::map<Thread, uint32_t> wait_of;
    for (uint32_t w = 0; w < waits.size(); ++w) {
        const ThreadInfo& thread = thread_of(waits[w].stream);
        wait_of[{thread.process, thread.tid}] = w;
    }
    std::vector<std::vector<uint32_t>> circles;
    std::vector<uint32_t> seen(waits.size(), 0);  // the way, from 1, on which the wait was met first
    for (uint32_t first = 0; first < waits.size(); ++first) {
        std::vector<uint32_t> way;
        for (auto next =
                 wait_of.find({thread_of(waits[first].stream).process, thread_of(waits[first].stream).tid});
             next != wait_of.end();) {
            const uint32_t w = next->second;
            if (seen[w] == first + 1) {
                circles.emplace_back(std::ranges::find(way, w), way.end());
                break;
            }
            if (seen[w] != 0) break;
            seen[w] = first + 1;
            way.push_back(w);
            next = wait_of.find({next->first.first, waits[w].tid});
        }
    }
    return circles;
}

}  // namespace ovni
