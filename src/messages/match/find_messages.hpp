// Finds the messages of a trace: all ranks deal the recorded ends of their processes by key, so that most
// come to the rank that has their sender. Then each rank matches the ends of its keys. Nothing is replayed: a
// missing event leaves ends without partners, and never makes others wait.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/ranks.hpp"
#include "emu/plan/system.hpp"
#include "messages/match/sent_messages.hpp"
#include "messages/match/stream_owners.hpp"
#include "messages/scan/scan.hpp"
#include "trace/trace.hpp"

namespace ovni {

// Why an end of a message has no partner, the first of these reasons that holds.
enum class Unmatched : uint8_t {
    not_recorded,  // the other process is not in the trace, or is not known
    off,           // recording was off where the other end is
    gap,           // one of both processes did not record all that it did
    out_of_step,   // the two lists of ends do not fit together there
    freed,         // a receive took the message unseen: its request was freed
    ended_early,   // one of them did not end in order
    no_partner,    // the program has sent what it has never received
    count
};
inline constexpr std::array<std::string_view, static_cast<size_t>(Unmatched::count)> unmatched_names = {
    "other process not recorded", "recording was off there", "gap in the recording",
    "ends do not fit together",   "a receive was freed",     "killed or running",
    "never received or sent"};

struct Traffic {
    uint32_t sender = 0, receiver = 0;  // processes in System
    uint64_t messages = 0, bytes = 0;
};

struct MessageSummary {
    static constexpr size_t size_classes = 65;  // 0 bytes, 1, 2 to 3, 4 to 7, ...
    using ByCause = std::array<uint64_t, static_cast<size_t>(Unmatched::count)>;

    uint64_t matched = 0, bytes = 0;
    ByCause sends{}, receives{};  // without a partner
    uint64_t keys = 0;            // that have matched messages
    uint64_t realigned = 0;       // keys whose lists were out of step
    uint64_t unordered = 0;       // keys with several threads on one side: MPI does not say which is first
    uint64_t backward = 0;        // messages that arrive before they are sent, by the clocks of two looms
    uint64_t unknown_communicator = 0;  // ends on communicators that nothing describes
    std::array<uint64_t, size_classes> sizes{};
    std::vector<Traffic> traffic;  // by sender, receiver; on rank 0

    bool is_empty() const;
};

struct FoundMessages {
    SentMessages messages;  // whose sender this rank has
    // The lists of all ranks together are those of the trace. Threads may be of other ranks.
    std::vector<UnmatchedEnd> unmatched;
    MessageSummary summary;
    MessageEnds others;  // what else was scanned: all but the ends of messages
};

// `scanned`: the processes of this rank, for messages; the ends in it are used up. Collective.
FoundMessages find_messages(const Ranks& ranks, const Trace& trace, const System& system,
                            const StreamOwners& owners, Scanned& scanned);

}  // namespace ovni
