// Says which threads here have rows. The process that ovnirun started has them from its start. Others,
// such as the commands of a script, have them once they create a thread; a fork's child has them from the
// fork on, if its parent has, unless it becomes another program. Launchers of MPI jobs have none.
#pragma once

namespace ovni::threads {

// The code at `caller` creates a thread. True if that thread is to have a row.
bool is_shown(const void* caller) noexcept;

// The name of the calling thread, as the system knows it.
struct Name {
    char text[16] = {};
    static Name of_this_thread() noexcept;
};

// The first call of a thread that is to have one. Its creator may have named it before it came here;
// otherwise the system gave it the name of its creator, which is no name.
void show_this_thread(const Name& creator) noexcept;

}  // namespace ovni::threads
