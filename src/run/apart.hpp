// A process that is no child of this process, in its own session, so that signals to the job do not reach it.
// It is no child because a program may wait for any child, and must not get an unknown one.
#pragma once

#include <sys/types.h>

#include <functional>

#include "base/file.hpp"

namespace ovni::run {

// Runs `work` in such a process, with all signals blocked. False if the system has no process left.
bool try_apart(const std::function<void()>& work);

// A descriptor that becomes readable when the process ends; invalid if there is no such process.
Fd end_of(pid_t process);
void await(const Fd& end);

}  // namespace ovni::run
