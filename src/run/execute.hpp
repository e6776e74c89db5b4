// Steps that run_as_parent() and run_detached() share.
#pragma once

#include <initializer_list>

#include "base/file.hpp"

namespace ovni::run {

// Becomes the program. If that fails, prints one line on stderr and returns 127 if there is no program of
// that name, 126 if it cannot be executed.
int execute(char** program);

// Closes all descriptors except stderr and `keep` (-1 in it is ignored). 0, 1, and a closed 2 become
// /dev/null. Descriptors that the launcher left open belong to the program: the process at the other end must
// see when the program closes one.
void let_go_of_descriptors(std::initializer_list<int> keep);

// A pipe that closes on exec, with descriptors from 3 on: 0 to 2 are the program's, even if closed.
struct Pipe {
    Fd read, write;
};
Pipe make_pipe();

// A duplicate of `fd` with a number from 3 on, closing on exec.
Fd above_stderr(Fd fd);

}  // namespace ovni::run
