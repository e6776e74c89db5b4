// Calls that all members of the communicator of a window or a file make: those that make, set up and free it,
// and I/O of all.
#pragma once

#include "messages/scan/message_ends.hpp"
#include "messages/scan/object_calls.hpp"

namespace ovni {

// The parts in them, of all processes in `found`. The members make these calls of one object in one order
// (MPI 4.1, 12.2 and 14.2), so `turn` is the number of the call among them, and `made` stands for the object.
Collectives collectives_of_objects(const FoundObjects& found);
// True for such a part.
bool is_of_object(const CollectiveEnd& end);

}  // namespace ovni
