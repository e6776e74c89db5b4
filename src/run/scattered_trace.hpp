// Parts of one job that write to several trace directories of a node, as programs do that a launcher starts
// in different working directories: no part can be emulated as the job.
#pragma once

#include <string>

#include "ring/session.hpp"

namespace ovni::run {

enum class DirectoryOf : uint8_t { job, rank };

// Whether the name of a trace directory, as given, has the rank in it.
DirectoryOf directory_of(const char* pattern);

// Notes the directory in the run directory of this ovnirun. Warns, once per job and node, if another part of
// the job has another one. Says nothing without a launcher, or inside of a traced program.
void warn_of_scattered_trace(const writer::Session& own, const std::string& directory);

}  // namespace ovni::run
