// --otf2: the trace as an archive of OTF2, for Vampir and others. Each thread is a location, whose events one
// rank writes: it gets them from the ranks that have the slices. Calls of MPI and all that rows show of
// stacks, such as regions, are regions; messages stand where they are sent and where their receive ends;
// counters are metrics. A send has no request: records of messages do not say when it is complete.
#pragma once

#include <filesystem>
#include <memory>

#include "sink/sink.hpp"

namespace ovni {

// Throws UsageError if this build has no OTF2. The output is a directory; an archive that is there already is
// replaced, anything else is an error.
std::unique_ptr<Sink> make_otf2_sink(const std::filesystem::path& path);

}  // namespace ovni
