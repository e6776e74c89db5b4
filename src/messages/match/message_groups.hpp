// Finds the process that has a rank of a communicator, from the lists of members that its processes have
// recorded.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "emu/plan/worlds.hpp"
#include "messages/scan/process_facts.hpp"

namespace ovni {

class MessageGroups {
 public:
    static constexpr uint32_t unknown = UINT32_MAX;

    // `lists`: of all processes.
    MessageGroups(const System& system, std::vector<MemberList> lists);

    // True if a world has ranks that the trace does not have.
    bool lack_processes() const;
    // The group of an intercommunicator that the process is in, 0 or 1.
    uint32_t group_of(uint64_t communicator, uint32_t process) const;
    // The processes of the two ends of a key.
    uint32_t sender(const MessageKey& key) const;
    uint32_t receiver(const MessageKey& key) const;

 private:
    uint32_t process_of(const MessageKey& key, int32_t rank, uint32_t group) const;
    uint32_t in_world(uint32_t world, int32_t rank) const;

    std::vector<World> worlds_;
    std::vector<ProcessFacts> facts_;
    std::map<uint64_t, std::vector<MemberList>> lists_;  // by communicator; of its groups in turn
};

}  // namespace ovni
