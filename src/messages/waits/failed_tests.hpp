// The time that failed tests for a message took before it was sent.
#pragma once

#include "messages/scan/found_ends.hpp"
#include "messages/waits/waits.hpp"

namespace ovni {

// The message was completed by MPI_Test or the like, in a thread that made these calls. The run of tests for
// it ends with that one: of MPI_Test it has those of the same request since it was posted, of MPI_Testall,
// MPI_Testany and MPI_Testsome the calls of that function that no other call stands between. The wait has no
// length if none of them began before the send.
Wait failed_tests(const Arrival& message, const CallTimes& calls);

}  // namespace ovni
