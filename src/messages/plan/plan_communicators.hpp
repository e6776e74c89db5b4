// The communicators of mpi.prv: those on which collectives run, in the order of their first use. An
// intercommunicator has the members of both groups, as all of them take part, and one of them is the root.
#pragma once

#include <vector>

#include "messages/plan/mpi_plan.hpp"
#include "messages/scan/communicator_uses.hpp"
#include "messages/scan/process_facts.hpp"

namespace ovni {

// `uses` and `lists`: of all processes. Returns the numbers of all of them, also of MPI_COMM_WORLD.
CommunicatorNumbers add_communicators(MpiPlan& plan, const System& system, std::vector<CommunicatorUse> uses,
                                      std::vector<MemberList> lists);

}  // namespace ovni
