// Finds the send that belongs to each receive, among the ends of one key: the first to the first, the second
// to the second, and so on, as MPI keeps them in order (MPI 4.1, 3.5). A pair has to prove itself: its two
// ends have the same number of bytes, and between threads of one clock nothing arrives before it is sent. If
// the lists do not fit together at some place, the longest common subsequence of both says how they go on. A
// receive that was never seen to complete has got its message if a later one of its key has: it keeps its
// place, but is no pair. Ends that were not recorded have their places, too, and partners that are no pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "messages/message_ends.hpp"

namespace ovni {

struct EndsOfKey {
    std::span<const MessageEnd> sends, receives;  // by order, stream and offset
    bool have_one_clock = false;
};

struct MatchCounts {
    uint64_t matched = 0;
    bool is_realigned = false;  // lists were out of step
    bool is_unordered = false;  // MPI itself does not define the order: several threads
};

enum class Partner : uint8_t { found, none, unrecorded };

// Called for each pair, and for each recorded end without one: then the other one is null.
using TakeMatch = std::function<void(const MessageEnd* send, const MessageEnd* receive, Partner partner)>;
MatchCounts match(const EndsOfKey& all, const TakeMatch& take);

}  // namespace ovni
