// Finds the send that belongs to each receive, among the ends of one key: the first to the first, the second
// to the second, and so on, as MPI keeps them in order (MPI 4.1, 3.5). A pair has to prove itself: its two
// ends have the same number of bytes, and between threads of one clock nothing arrives before it is sent. If
// the lists do not fit together at some place, the longest common subsequence of both says how they go on. A
// receive that was never seen to complete has got its message if a later one of its key has, or if it was
// freed: it keeps its place, but is no pair. Ends that were not recorded have their places, too, and partners
// that are no pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "messages/scan/packed_ends.hpp"

namespace ovni {

// The ends of one side, by order, stream and offset.
struct EndsInOrder {
    // Puts the next ones there, as many as there is room. 0 at the end.
    std::function<size_t(std::span<MessageEnd>)> read;
    bool are_of_several_threads = false;
};
EndsInOrder sends_in(std::span<const MessageEnd> sorted);
// Without those behind the last one that has ended, or was freed.
EndsInOrder receives_in(std::span<const MessageEnd> sorted);
// Ends that are sorted as they were packed.
EndsInOrder sends_in(const PackedEnds& sorted);
EndsInOrder receives_in(const PackedEnds& sorted);

struct EndsOfKey {
    EndsInOrder sends, receives;
    bool have_one_clock = false;
};

struct MatchCounts {
    uint64_t matched = 0;
    bool is_realigned = false;  // lists were out of step
    bool is_unordered = false;  // MPI itself does not define the order: several threads
};

enum class Partner : uint8_t { found, none, unrecorded, freed };

// Called for each pair, and for each recorded end without one: then the other one is null. They are valid
// until the call returns.
using TakeMatch = std::function<void(const MessageEnd* send, const MessageEnd* receive, Partner partner)>;
MatchCounts match(const EndsOfKey& ends, const TakeMatch& take);

}  // namespace ovni
