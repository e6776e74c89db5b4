// The command line of ovnirun. Its options end at "--", or at the first word that is neither an option nor an
// option's value. All later words belong to the program. Most options only set the environment variable of
// the same name for the libraries that are loaded into the program.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ovni::run {

struct Options {
    std::string answer;  // what --help or --version prints; nothing is run then
    bool detach = false;
    bool anyway = false;
    std::vector<std::pair<std::string, std::string>> environment;  // variable, value
    char** program = nullptr;                                      // PROG ARGS..., null terminated
};

// Throws UsageError.
Options parse_options(char** argv);

// The variables of the options.
std::vector<std::string> option_variables();

}  // namespace ovni::run
