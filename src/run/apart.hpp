// A process that is no child of this one, in a session of its own: signals to the job do not reach it. A
// program may wait for any child, so it must know all of its children.
#pragma once

#include <sys/types.h>

#include <functional>

#include "base/file.hpp"

namespace ovni::run {

// Runs `work` there, with all signals blocked. False if the system has no process left.
bool try_apart(const std::function<void()>& work);

// A descriptor that can be read once the process has ended; none if there is no such process.
Fd end_of(pid_t process);
void await(const Fd& end);

}  // namespace ovni::run
