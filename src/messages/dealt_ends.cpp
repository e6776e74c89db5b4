#include "messages/dealt_ends.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/parallel.hpp"
#include "base/radix_sort.hpp"

namespace ovni {

namespace {

uint64_t hash(const MessageKey& key) {
    uint64_t x = key.communicator;
    for (uint64_t part :
         {uint64_t{key.scope} << 32 | key.group,
          uint64_t{static_cast<uint32_t>(key.sender)} << 32 | static_cast<uint32_t>(key.receiver),
          uint64_t{static_cast<uint32_t>(key.tag)}, uint64_t{key.made} << 32 | key.start}) {
        x = (x ^ part) * 0x9e3779b97f4a7c15u;
        x ^= x >> 32;
    }
    return x;
}

}  // namespace

bool comes_before(const MessageEnd& a, const MessageEnd& b) {
    return std::tie(a.order, a.stream, a.offset) < std::tie(b.order, b.stream, b.offset);
}

DealtEnds::DealtEnds(const Ranks& ranks, std::span<MessageEnds> found, size_t threads) {
    for_each_in_parallel(threads, found.size(), [&](size_t g) {
        radix_sort(
            found[g].ends, [](const MessageEnd& end) { return end.key; }, comes_before);
    });
    exchange(ranks, found);
    std::ranges::stable_sort(parts_, {}, [](const Part& part) { return part.key; });
}

template <class Take>
void DealtEnds::visit_keys(std::vector<MessageEnd>& ends, Take take) {
    for (size_t i = 0; i < ends.size();) {
        size_t end = i;
        while (end < ends.size() && ends[end].key == ends[i].key) ++end;
        take(ends[i].key, std::span(ends).subspan(i, end - i));
        i = end;
    }
}

// All keys of the group are this rank's.
void DealtEnds::keep(MessageEnds& group, int rank) {
    ends_.push_back(std::move(group.ends));
    visit_keys(ends_.back(), [&](uint32_t key, std::span<MessageEnd> of_key) {
        parts_.push_back({group.keys[key], rank, of_key});
    });
}

void DealtEnds::take(int from, const std::vector<Parcel>& parcels, std::vector<MessageEnd> ends) {
    std::span<MessageEnd> rest = ends_.emplace_back(std::move(ends));
    for (const Parcel& parcel : parcels) {
        parts_.push_back({parcel.key, from, rest.first(parcel.ends)});
        rest = rest.subspan(parcel.ends);
    }
}

void DealtEnds::exchange(const Ranks& ranks, std::span<MessageEnds> found) {
    const auto size = static_cast<uint64_t>(ranks.size());
    const auto self = static_cast<size_t>(ranks.rank());
    PerRank<std::vector<Parcel>> parcels(size);
    PerRank<std::vector<MessageEnd>> ends(size);
    PerRank<size_t> counts(size);
    for (MessageEnds& group : found) {
        PerRank<size_t> of_group(size);
        visit_keys(group.ends, [&](uint32_t key, std::span<MessageEnd> of_key) {
            of_group[hash(group.keys[key].key) % size] += of_key.size();
        });
        if (of_group[self] == group.ends.size())
            keep(group, ranks.rank());
        else
            for (size_t owner = 0; owner < size; ++owner) counts[owner] += of_group[owner];
    }
    for (size_t owner = 0; owner < size; ++owner) ends[owner].reserve(counts[owner]);
    for (MessageEnds& group : found) {
        visit_keys(group.ends, [&](uint32_t key, std::span<MessageEnd> of_key) {
            const size_t owner = hash(group.keys[key].key) % size;
            parcels[owner].push_back({group.keys[key], of_key.size()});
            ends[owner].insert(ends[owner].end(), of_key.begin(), of_key.end());
        });
        group.ends = {};
    }
    take(ranks.rank(), std::exchange(parcels[self], {}), std::exchange(ends[self], {}));
    PerRank<std::span<const Parcel>> parcels_to(parcels.begin(), parcels.end());
    PerRank<std::span<const MessageEnd>> ends_to(ends.begin(), ends.end());
    const PerRank<std::vector<Parcel>> dealt = ranks.alltoallv(parcels_to);
    PerRank<std::vector<MessageEnd>> dealt_ends = ranks.alltoallv(ends_to);
    for (size_t rank = 0; rank < dealt.size(); ++rank)
        take(static_cast<int>(rank), dealt[rank], std::move(dealt_ends[rank]));
}

}  // namespace ovni
