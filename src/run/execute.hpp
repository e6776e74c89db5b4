// Steps that both ways of launching share.
#pragma once

#include <initializer_list>

#include "base/file.hpp"

namespace ovni::run {

// Becomes the program. Returns only where that fails, after one line on stderr: 127 where there is none of
// that name, 126 where it cannot be executed.
int execute(char** program);

// What a launcher left open belongs to the program: whoever reads or writes at the other end must see when
// the program closes it. Closes all but stderr and `keep`; 0, 1, and 2 where it was closed, become /dev/null.
void let_go_of_descriptors(std::initializer_list<int> keep);

// A pipe that closes on exec, none of it below 3: those are the program's even where they are closed.
struct Pipe {
    Fd read, write;
};
Pipe make_pipe();

// The same descriptor, 3 or above, closing on exec.
Fd above_stderr(Fd fd);

}  // namespace ovni::run
