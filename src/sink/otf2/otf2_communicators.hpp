// The communicators of an OTF2 archive. Members are known of MPI_COMM_WORLD and MPI_COMM_SELF. Others have
// known members if collectives, windows or files on them were recorded, as these have the ranks of members.
// Messages on any other are shown on one of all processes that have ranks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ranks.hpp"
#include "emu/records/schema.hpp"
#include "messages/traffic_rows.hpp"

namespace ovni {

class Otf2Communicators {
 public:
    static constexpr uint32_t unknown = UINT32_MAX;
    static constexpr uint32_t of_self = 0, of_all = 1;  // numbers

    struct Communicator {
        std::string name;
        std::vector<uint32_t> members;  // places in processes(), by rank
    };

    // `traffic`: of this rank. `schema` outlives this. Collective.
    Otf2Communicators(const Ranks& ranks, const Schema& schema, const TrafficRows& traffic);

    // The processes with ranks, in the order of these.
    const std::vector<uint32_t>& processes() const { return processes_; }
    const std::vector<Communicator>& all() const { return all_; }

    // The number of the communicator `id`; of_all unless `process`, and `other` if there is one, are members.
    uint32_t number_of(uint64_t id, uint32_t process, uint32_t other) const;
    // The rank of the process in it; unknown if the process is not a member.
    uint32_t rank_in(uint32_t number, uint32_t process) const;

 private:
    struct Known;
    void add_worlds();
    void add_known(const std::vector<Known>& known);
    uint32_t place_of(uint32_t process) const { return place_of_[process]; }

    const Schema& schema_;
    std::vector<uint32_t> processes_;
    std::vector<uint32_t> place_of_;  // by process
    std::vector<Communicator> all_;
    std::vector<std::map<uint32_t, uint32_t>> ranks_;  // by number: by place
    std::vector<uint32_t> of_world_;                   // by world
    std::map<uint64_t, uint32_t> of_id_;
};

}  // namespace ovni
