// Ends of messages, dealt to the ranks by their keys: all ends of one key come together on one rank.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/ranks.hpp"
#include "messages/scan/found_ends.hpp"

namespace ovni {

// The ends of one side of one key, of one process, and the rank that they are from.
struct DealtEnds {
    KeyOfProcess key;
    int from = 0;
    PackedEnds ends;
};

// Deals the ends in `found` to ranks by their keys. Returns the ends of all ranks whose keys this rank owns,
// by key, sends first. `owner_of`: the rank that gets a key, alike on all ranks; nothing: one chosen by hash.
// Collective.
using OwnerOfKey = std::function<std::optional<size_t>(const MessageKey& key)>;
std::vector<DealtEnds> deal_ends(const Ranks& ranks, std::span<MessageEnds> found,
                                 const OwnerOfKey& owner_of);

}  // namespace ovni
