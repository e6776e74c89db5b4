// The option --counters: its check, and the list of counters.
#pragma once

#include <string>
#include <string_view>

namespace ovni::run {

// Throws UsageError if a word of the list is no counter. `name`: of the option or its variable.
void check_counters(std::string_view name, std::string_view list);

// True for `--counters list` and `--counters=list`, which only print the list.
bool asks_for_counters(char** words);
// A table: the names of all counters, their numbers in Paraver, and whether this machine has them.
std::string counters_of_this_machine();

}  // namespace ovni::run
