// Finds the rank that reads a stream, and sends items to it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/ranks.hpp"
#include "emu/plan/system.hpp"

namespace ovni {

class StreamOwners {
 public:
    // `mine`: processes of this rank, true for each. Collective.
    StreamOwners(const Ranks& ranks, const System& system, const std::vector<bool>& mine)
        : ranks_(ranks), system_(system) {
        std::vector<uint64_t> rank_of_process(mine.size());
        for (size_t process = 0; process < mine.size(); ++process)
            rank_of_process[process] = mine[process] ? static_cast<uint64_t>(ranks.rank()) : 0;
        rank_of_process_ = ranks.allreduce(Op::max, std::move(rank_of_process));
    }

    size_t of_process(uint32_t process) const { return rank_of_process_[process]; }
    size_t of_stream(uint32_t stream) const { return of_process(system_.process_of_stream(stream)); }
    // Sends each item to rank_of(item). Returns the items for this rank, those from rank 0 first. Collective.
    template <class Items, class RankOf>
    Items deal(Items items, RankOf rank_of) const {
        if (ranks_.is_alone()) return items;
        PerRank<Items> to = parted(items, rank_of);
        items = {};
        return ranks_.alltoallv_joined(std::move(to));
    }
    size_t size() const { return static_cast<size_t>(ranks_.size()); }

 private:
    template <class Items, class RankOf>
    PerRank<Items> parted(const Items& items, RankOf rank_of) const {
        PerRank<size_t> counts(size());
        for (const auto& item : items) ++counts[rank_of(item)];
        PerRank<Items> parts(size());
        for (size_t rank = 0; rank < parts.size(); ++rank) parts[rank].reserve(counts[rank]);
        for (const auto& item : items) parts[rank_of(item)].push_back(item);
        return parts;
    }

    const Ranks& ranks_;
    const System& system_;
    std::vector<uint64_t> rank_of_process_;
};

}  // namespace ovni
