// Reads command lines of the tools by the rows of a manual, with Boost.Program_options. Abbreviated options
// are not accepted. All programs that use it have --quiet.
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "base/manual.hpp"
#include "core/parse_number.hpp"

namespace ovni {

// An option that only another program has, and what to do instead.
struct OptionElsewhere {
    std::string letter, name, advice;
};

struct Cli {
    Manual manual;
    std::vector<OptionElsewhere> elsewhere;
    std::string libraries;  // lines of --version, besides those of all programs
    boost::program_options::variables_map values;
    std::vector<std::string> words;  // all words except options, in order

    bool has(const std::string& name) const { return values.count(name) > 0; }

    // The value of an option that was given, or has a default. Throws UsageError if it is no T.
    template <class T = std::string>
    T get(const std::string& name) const {
        const auto& text = values[name].as<std::string>();
        if constexpr (std::is_same_v<T, std::string>) {
            return text;
        } else {
            if (const std::optional<T> number = parse_number<T>(text)) return *number;
            throw UsageError("the argument ('" + text + "') for option '--" + name +
                             "' is invalid (see --help)");
        }
    }
};

enum class Parsed { go_on, help_printed };

// Reads the command line into values and words. If help, version or manual is requested, prints it on stdout.
// Throws UsageError.
Parsed parse(Cli& cli, int argc, char** argv);

// The only word of the command line; throws UsageError if there is none or more than one.
std::string only_word(const Cli& cli, const std::string& what);

}  // namespace ovni
