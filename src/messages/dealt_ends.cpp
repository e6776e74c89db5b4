#include "messages/dealt_ends.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/parallel.hpp"
#include "base/radix_sort.hpp"

namespace ovni {

namespace {

// Some ends of one key, in front of them on their way.
struct Parcel {
    KeyOfProcess key;
    uint64_t ends = 0;
};

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
    if (ranks.is_alone()) {
        for (MessageEnds& group : found) {
            ends_.push_back(std::move(group.ends));
            visit_keys(ends_.back(), [&](uint32_t key, std::span<MessageEnd> of_key) {
                parts_.push_back({group.keys[key], 0, of_key});
            });
        }
    } else {
        exchange(ranks, found);
    }
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

void DealtEnds::exchange(const Ranks& ranks, std::span<MessageEnds> found) {
    const auto size = static_cast<uint64_t>(ranks.size());
    PerRank<std::vector<Parcel>> parcels(size);
    PerRank<std::vector<MessageEnd>> ends(size);
    PerRank<size_t> counts(size);
    for (MessageEnds& group : found)
        visit_keys(group.ends, [&](uint32_t key, std::span<MessageEnd> of_key) {
            counts[hash(group.keys[key].key) % size] += of_key.size();
        });
    for (size_t owner = 0; owner < size; ++owner) ends[owner].reserve(counts[owner]);
    for (MessageEnds& group : found) {
        visit_keys(group.ends, [&](uint32_t key, std::span<MessageEnd> of_key) {
            const size_t owner = hash(group.keys[key].key) % size;
            parcels[owner].push_back({group.keys[key], of_key.size()});
            ends[owner].insert(ends[owner].end(), of_key.begin(), of_key.end());
        });
        group.ends = {};
    }
    PerRank<std::span<const Parcel>> parcels_to(parcels.begin(), parcels.end());
    PerRank<std::span<const MessageEnd>> ends_to(ends.begin(), ends.end());
    const PerRank<std::vector<Parcel>> dealt = ranks.alltoallv(parcels_to);
    ends_ = ranks.alltoallv(ends_to);
    for (size_t rank = 0; rank < dealt.size(); ++rank) {
        std::span<MessageEnd> rest = ends_[rank];
        for (const Parcel& parcel : dealt[rank]) {
            parts_.push_back({parcel.key, static_cast<int>(rank), rest.first(parcel.ends)});
            rest = rest.subspan(parcel.ends);
        }
    }
}

}  // namespace ovni
