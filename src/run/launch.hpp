// The two ways of ovnirun to run a program with a companion. The program keeps what its launcher gave it:
// process group, session, terminal, descriptors, signal mask and dispositions, timers.
#pragma once

#include "run/companion.hpp"

namespace ovni::run {

// `words`: argv of ovnirun. `program`: the part of it that belongs to the program, null terminated.
struct Launch {
    char** words = nullptr;
    char** program = nullptr;
};

// Runs the program as a child and hosts the companion here. Ends as the program ended: returns its exit
// status, or dies by its signal. Throws Error if the system has no process left.
int run_as_parent(const Launch& launch, Companion& companion);

// Hosts the companion in a process that is no child of the program, and in its own session, so that signals
// to the program's process group do not reach it. Then becomes the program. Returns an exit status if that
// fails.
int run_detached(const Launch& launch, Companion& companion);

}  // namespace ovni::run
