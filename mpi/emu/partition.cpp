#include "emu/partition.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace ovni {

std::vector<int> deal_looms(const Trace& trace, const System& system, int ranks) {
    std::vector<uint64_t> bytes(system.looms().size());
    for (const ThreadInfo& thread : system.threads())
        bytes[thread.loom] += trace.streams()[thread.stream].bytes;
    std::vector<size_t> heaviest_first(bytes.size());
    std::iota(heaviest_first.begin(), heaviest_first.end(), size_t{0});
    std::ranges::stable_sort(heaviest_first, std::greater(), [&](size_t loom) { return bytes[loom]; });
    std::vector<uint64_t> load(static_cast<size_t>(ranks));
    std::vector<int> rank_of_loom(bytes.size());
    for (size_t loom : heaviest_first) {
        auto least = std::ranges::min_element(load);
        *least += bytes[loom];
        rank_of_loom[loom] = static_cast<int>(least - load.begin());
    }
    return rank_of_loom;
}

}  // namespace ovni
