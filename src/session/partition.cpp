#include "session/partition.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace ovni {

std::vector<int> deal_looms(const Trace& trace, const System& system, int ranks, const Readers& readers) {
    std::vector<uint64_t> bytes(system.looms().size());
    std::vector<const std::vector<int>*> readers_of_loom(system.looms().size());
    for (const ThreadInfo& thread : system.threads()) {
        bytes[thread.loom] += trace.streams()[thread.stream].bytes;
        readers_of_loom[thread.loom] = &readers(thread.stream);
    }
    std::vector<size_t> heaviest_first(bytes.size());
    std::iota(heaviest_first.begin(), heaviest_first.end(), size_t{0});
    std::ranges::stable_sort(heaviest_first, std::greater(), [&](size_t loom) { return bytes[loom]; });
    std::vector<uint64_t> load(static_cast<size_t>(ranks));
    std::vector<int> rank_of_loom(bytes.size());
    for (size_t loom : heaviest_first) {
        auto load_of = [&](int rank) -> uint64_t& { return load[static_cast<size_t>(rank)]; };
        int least = *std::ranges::min_element(*readers_of_loom[loom], {}, load_of);
        load_of(least) += bytes[loom];
        rank_of_loom[loom] = least;
    }
    return rank_of_loom;
}

std::vector<int> deal_looms(const Trace& trace, const System& system, int ranks) {
    std::vector<int> all(static_cast<size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return deal_looms(trace, system, ranks, [&](uint32_t) -> const std::vector<int>& { return all; });
}

}  // namespace ovni
