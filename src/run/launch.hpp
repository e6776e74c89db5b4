// The two ways of ovnirun to run a program with a companion beside it. The program keeps what its launcher
// gave it: process group, session, terminal, descriptors, signal mask and dispositions, timers.
#pragma once

#include "run/companion.hpp"

namespace ovni::run {

// `words` are those of ovnirun itself, `program` the last of them: the program's, null terminated.
struct Launch {
    char** words = nullptr;
    char** program = nullptr;
};

// Runs the program as a child and hosts the companion here; ends as the program ended, so it returns an exit
// status, or dies by a signal. Throws Error where the system has no process left.
int run_as_parent(const Launch& launch, Companion& companion);

// Hosts the companion in a process that is no child of the program and in a session of its own, which signals
// to the program's process group do not reach; then becomes the program. Returns a status where that fails.
int run_detached(const Launch& launch, Companion& companion);

}  // namespace ovni::run
