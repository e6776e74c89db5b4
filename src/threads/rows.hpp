// Which threads of this process have rows. The process that ovnirun started has them from its start. Others,
// such as the commands of a script, have them once they create a thread; a fork's child has them from the fork
// on, if its parent has, unless it becomes another program. Launchers of MPI jobs have none.
#pragma once

namespace ovni::threads {

// The code at `caller` creates a thread. True if that thread is to have a row.
bool is_shown(const void* caller) noexcept;

// The first call of a thread that is to have one.
void show_this_thread() noexcept;

}  // namespace ovni::threads
