// The time that failed tests for a message took before it was sent.
#pragma once

#include "messages/scan/found_ends.hpp"
#include "messages/waits/waits.hpp"

namespace ovni {

// `message` was completed by MPI_Test or the like, in a thread that made `calls`. The run of tests for it
// ends with that test. A run of MPI_Test has all tests of the request since it was posted. A run of
// MPI_Testall, MPI_Testany or MPI_Testsome has the calls of that function with no other call between them.
// The wait has no length if no test of the run began before the send.
Wait failed_tests(const Arrival& message, const CallTimes& calls);

}  // namespace ovni
