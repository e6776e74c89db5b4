// Command lines of the tools, by Boost.Program_options without guessing of prefixes.
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace ovni {

struct Cli {
    std::string usage;        // after "usage: ", e.g. "ovnidump [-x] DIR"
    std::string description;  // printed below the usage line
    boost::program_options::options_description options{"options"};
    boost::program_options::variables_map values;
    std::vector<std::string> words;  // what is not an option, in order

    bool has(const std::string& name) const { return values.count(name) > 0; }
    template <class T>
    T get(const std::string& name) const {
        return values[name].as<T>();
    }
};

enum class Parsed { go_on, help_printed };

// Adds -h/--help, reads the command line into values and words. Help goes to stdout. Throws UsageError.
Parsed parse(Cli& cli, int argc, char** argv);

// The only word of the command line; throws UsageError where there is none or more than one.
std::string only_word(const Cli& cli, const std::string& what);

}  // namespace ovni
