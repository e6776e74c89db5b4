// Checks whether a program can be started, and whether the dynamic loader loads the libraries of LD_PRELOAD
// into it.
#pragma once

#include <string>
#include <vector>

namespace ovni::run {

// The cause why libraries cannot be loaded into a program, and its remedy; false if they can be loaded.
struct Obstacle {
    const char *cause = "", *remedy = "";  // "is linked statically", "link it without -static"
    explicit operator bool() const { return *cause != '\0'; }
};
// Looks at the file that execvp() would take. Scripts and unreadable files are not examined.
Obstacle what_keeps_libraries_out(const char* program);

// The names of all libraries that the program is linked with, directly or indirectly, in the order of its
// dynamic loader. Empty if the program has no loader. No code of the program runs.
std::vector<std::string> libraries_of(const char* program);

// False if execvp() finds no executable file for the program.
bool can_be_started(const char* program);

}  // namespace ovni::run
