// What is recorded of messages, beyond the account of trace_calls.cpp.
#include "mpi/recorded_traffic.hpp"
#include "mpi/traced.hpp"

namespace ovni::test {

}  // namespace ovni::test
