// Finds the send that belongs to each receive, among the ends of one key: the first to the first, the second
// to the second, and so on, as MPI keeps them in order (MPI 4.1, 3.5). A pair counts only if its two ends
// have equal numbers of bytes and, between threads of one clock, the message does not arrive before it is
// sent. If the lists do not fit together at some place, the longest common subsequence of both says how they
// go on. A receive that was never seen to complete has got its message if a later receive of its key has, or
// if it was freed: it keeps its place, but makes no pair. Ends that were not recorded have their places, too,
// and make no pairs with their partners.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "messages/scan/packed_ends.hpp"

namespace ovni {

// The ends of one side, by order, stream and offset.
struct EndsInOrder {
    // Fills the span with the next ends and returns their number; 0 at the end.
    std::function<size_t(std::span<MessageEnd>)> read;
    bool are_of_several_threads = false;
};
EndsInOrder sends_in(std::span<const MessageEnd> sorted);
// Leaves out receives behind the last one that has ended, or was freed.
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

// Called for each pair, and for each recorded end without a partner: then the other pointer is null. Pointers
// are valid until the call returns.
using TakeMatch = std::function<void(const MessageEnd* send, const MessageEnd* receive, Partner partner)>;
MatchCounts match(const EndsOfKey& ends, const TakeMatch& take);

}  // namespace ovni
