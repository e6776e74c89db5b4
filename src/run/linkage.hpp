// How a program is linked: the libraries of LD_PRELOAD are brought by the dynamic loader, which an executable
// that is linked statically does not have.
#pragma once

namespace ovni::run {

// The file that execvp() would take. False for scripts, and for what cannot be read.
bool is_linked_statically(const char* program);

}  // namespace ovni::run
