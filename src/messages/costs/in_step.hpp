// The times at which two processes were in step: neither could go on before the other had arrived.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/ranks.hpp"
#include "emu/plan/system.hpp"
#include "messages/match/stream_owners.hpp"
#include "messages/scan/message_ends.hpp"

namespace ovni {

// Knows these times for pairs of a process of this rank and any other one.
class InStep {
 public:
    static constexpr int64_t never = INT64_MIN;

    // A wait of one process for another one. Plain data.
    struct Meeting {
        int64_t end = 0;
        uint32_t process = 0, cause = 0;
    };
    // `meetings`: those in which a process of this rank waits, or is waited for. `collectives`: as
    // find_waits() has left them. Collective.
    InStep(const Ranks& ranks, const System& system, const StreamOwners& owners,
           std::span<const Meeting> meetings, std::span<const CollectiveEnd> collectives);

    // The last time of `process` and `other` in step up to `time`, or `never`. `process` is one of this rank.
    int64_t before(uint32_t process, uint32_t other, int64_t time) const;

 private:
    using Group = std::pair<uint64_t, uint32_t>;  // communicator, scope
    using Times = std::vector<int64_t>;           // sorted
    using Processes = std::vector<uint32_t>;      // sorted

    std::map<std::pair<uint32_t, uint32_t>, Times> meetings_;   // by two processes, the lower one first
    std::vector<Processes> sets_;                               // that are the members of some communicator
    std::map<uint32_t, std::map<size_t, Times>> synchronised_;  // by process, and place in sets_
};

}  // namespace ovni
