// Warns if parts of one job write to several trace directories of a node, because no such part can be
// emulated as the job. A launcher that starts programs in different working directories causes that.
#pragma once

#include <string>

#include "ring/session.hpp"

namespace ovni::run {

enum class DirectoryOf : uint8_t { job, rank };

// Returns `rank` if the pattern of the trace directory contains %r.
DirectoryOf directory_of(const char* pattern);

// Notes the trace directory in the run directory of this ovnirun. Warns, once per job and node, if another
// part of the job has another trace directory. Does nothing without a launcher, or inside a traced program.
void warn_of_scattered_trace(const writer::Session& own, const std::string& directory);

}  // namespace ovni::run
