// Decides which threads of the process have rows. The process that ovnirun started has rows from its start.
// Other processes, such as the commands of a script, have rows once they create a thread. A fork's child has
// rows from the fork on if its parent has, unless it becomes another program. Launchers of MPI jobs have
// none.
#pragma once

namespace ovni::threads {

// True if a thread that the code at `caller` creates gets a row.
bool is_shown(const void* caller) noexcept;

// The name of the calling thread in the system.
struct Name {
    char text[16] = {};
    static Name of_this_thread() noexcept;
};

// The first call of a thread that gets a row. Its creator may have named it before; otherwise the system gave
// it the creator's name, which is not used.
void show_this_thread(const Name& creator) noexcept;

}  // namespace ovni::threads
