// How a program is linked. The dynamic loader brings the libraries of LD_PRELOAD, and an executable that is
// linked statically has none.
#pragma once

namespace ovni::run {

// Looks at the file that execvp() would take. False for scripts and unreadable files.
bool is_linked_statically(const char* program);

}  // namespace ovni::run
