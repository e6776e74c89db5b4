// Programs that cannot be started, or that the dynamic loader does not bring the libraries of LD_PRELOAD to.
#pragma once

#include <string>
#include <vector>

namespace ovni::run {

// Why libraries cannot be loaded into a program, and what helps; false if they can.
struct Obstacle {
    const char *cause = "", *remedy = "";  // "is linked statically", "link it without -static"
    explicit operator bool() const { return *cause != '\0'; }
};
// Looks at the file that execvp() would take: nothing is known of scripts and of unreadable files.
Obstacle what_keeps_libraries_out(const char* program);

// The names of all libraries that the program is linked with, directly or by way of others, as its own
// dynamic loader finds them, in its order. Empty if it has no loader; nothing of the program runs.
std::vector<std::string> libraries_of(const char* program);

// False if execvp() finds no file for the program that may be executed.
bool can_be_started(const char* program);

}  // namespace ovni::run
