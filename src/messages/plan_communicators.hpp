// The communicators of mpi.prv: those on which collectives run, in the order of their first use. What one
// member knows as an intercommunicator is here the group that it is in.
#pragma once

#include <vector>

#include "messages/mpi_plan.hpp"
#include "messages/mpi_scan.hpp"

namespace ovni {

// `uses` and `lists`: of all processes. Returns the numbers, also of MPI_COMM_WORLD, of all of them.
CommunicatorNumbers add_communicators(MpiPlan& plan, const System& system, std::vector<CommunicatorUse> uses,
                                      std::vector<MemberList> lists);

}  // namespace ovni
