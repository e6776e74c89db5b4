// Programs that cannot be started, or that the dynamic loader does not bring the libraries of LD_PRELOAD to.
#pragma once

#include <string>

namespace ovni::run {

// "is linked statically" or "is set-user-id"; empty if the libraries can be loaded into the program. Looks at
// the file that execvp() would take: nothing is known of scripts and of unreadable files.
std::string what_keeps_libraries_out(const char* program);

// False if execvp() finds no file for the program that may be executed.
bool can_be_started(const char* program);

}  // namespace ovni::run
