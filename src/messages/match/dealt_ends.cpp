#include "messages/match/dealt_ends.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ovni {

namespace {

uint64_t hash_of_key(const MessageKey& key) {
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

// The facts of packed ends, in front of these on their way. Plain data.
struct Parcel {
    KeyOfProcess key;
    PackedEnds::Facts facts;
    uint64_t bytes = 0;
};

void unpack(int from, std::span<const Parcel> parcels, std::span<const uint8_t> bytes,
            std::vector<DealtEnds>& all) {
    for (const Parcel& parcel : parcels) {
        all.push_back({parcel.key, from, PackedEnds(parcel.facts, bytes.first(parcel.bytes))});
        bytes = bytes.subspan(parcel.bytes);
    }
}

}  // namespace

std::vector<DealtEnds> deal_ends(const Ranks& ranks, std::span<MessageEnds> found,
                                 const OwnerOfKey& owner_of) {
    const auto size = static_cast<size_t>(ranks.size());
    PerRank<std::vector<Parcel>> parcels(size);
    PerRank<std::vector<uint8_t>> bytes(size);
    std::vector<DealtEnds> all;
    for (MessageEnds& group : found) {
        for (size_t k = 0; k < group.keys.size(); ++k) {
            PackedEnds ends = std::move(group.ends[k]);
            if (ends.facts().ends == 0) continue;
            const MessageKey& key = group.keys[k].key;
            const size_t owner = owner_of(key).value_or(hash_of_key(key) % size);
            if (owner == static_cast<size_t>(ranks.rank())) {
                all.push_back({group.keys[k], ranks.rank(), std::move(ends)});
                continue;
            }
            parcels[owner].push_back({group.keys[k], ends.facts(), ends.bytes()});
            ends.append_to(bytes[owner]);
        }
        group.ends = std::vector<PackedEnds>();
    }
    if (!ranks.is_alone()) {
        const PerRank<std::vector<Parcel>> dealt =
            ranks.alltoallv(PerRank<std::span<const Parcel>>(parcels.begin(), parcels.end()));
        const PerRank<std::vector<uint8_t>> dealt_bytes =
            ranks.alltoallv(PerRank<std::span<const uint8_t>>(bytes.begin(), bytes.end()));
        for (size_t rank = 0; rank < dealt.size(); ++rank)
            unpack(static_cast<int>(rank), dealt[rank], dealt_bytes[rank], all);
    }
    std::ranges::stable_sort(all, {}, [](const DealtEnds& part) {
        return std::tuple(part.key.key, part.key.side, part.key.process);
    });
    return all;
}

}  // namespace ovni
