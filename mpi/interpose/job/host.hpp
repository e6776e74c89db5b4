// The name of the node that a process runs on: its host name up to the first dot. If several nodes have equal
// names, "-2", "-3" and so on are appended, in the order of their lowest ranks.
#pragma once

#include "mpi/interpose/library/private_comm.hpp"

namespace ovni::mpi {

struct Host {
    static constexpr int most = 96;
    char name[most] = {};

    static Host alone() noexcept;
    // Collective; `node` holds the ranks of one node, `leaders` the lowest rank of each.
    static Host among(const PrivateComm& leaders, const PrivateComm& node) noexcept;
};

}  // namespace ovni::mpi
