#include "run/misspellings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/nearest.hpp"
#include "code/known_instructions.hpp"
#include "core/function_choice.hpp"
#include "mpi_function_choices.hpp"
#include "run/options.hpp"

namespace ovni::run {

namespace {

// Variables that no option of ovnirun stands for.
constexpr std::string_view without_option[] = {
    "OVNI_TMPDIR",     "OVNI_RUN",                     // of users
    "OVNI_CONFIG_DIR", "OVNI_DEBUG",   "OVNI_MPI",     // of the emulators
    "OVNI_SESSION",    "OVNI_SPAWNED",                 // of a traced program that starts another
    "OVNI_BUILD_DIR",  "OVNI_LOCAL",   "OVNI_OUTPUT",  // of scripts and batch files
    "OVNI_SANITIZE",
};
constexpr std::string_view beginning = "OVNI_";
constexpr std::string_view of_others[] = {"OVNI_TEST_", "OVNI_VCLUSTER_"};

}  // namespace

std::string proposal_of_function(std::string_view word) {
    constexpr std::string_view prefix = "MPI_";
    if (word.empty()) return "";
    const bool has_prefix = same_letters(word.substr(0, prefix.size()), prefix);
    std::vector<std::string> names;
    for (const MpiFunctionChoice& function : mpi_function_choices)
        names.emplace_back(has_prefix ? function.name : function.name.substr(prefix.size()));
    return proposal(word, names);
}

std::string proposal_for(const region::Error& error) {
    using Name = region::Error::Name;
    if (error.unknown == Name::none) return "";
    if (error.unknown == Name::mpi_function) return proposal_of_function(error.unknown_name);
    const std::span<const std::string_view> known =
        error.unknown == Name::isa_extension ? code::known_extensions() : code::known_categories();
    constexpr size_t most = 3;
    const std::vector<std::string> names(known.begin(), known.end());
    const std::string nearest = proposals(error.unknown_name, names, most);
    return nearest.empty() ? fmt::format("; there are: {}", fmt::join(names, ", ")) : nearest;
}

void warn_about_unknown_variables() {
    std::vector<std::string> known = option_variables();
    known.insert(known.end(), std::begin(without_option), std::end(without_option));
    for (char** variable = environ; *variable; ++variable) {
        std::string_view name = *variable;
        name = name.substr(0, name.find('='));
        const bool is_of_others =
            std::ranges::any_of(of_others, [&](std::string_view begin) { return name.starts_with(begin); });
        if (!name.starts_with(beginning) || is_of_others || std::ranges::count(known, name) > 0) continue;
        std::fprintf(stderr, "ovnirun: warning: the variable %.*s is not known%s\n",
                     static_cast<int>(name.size()), name.data(),
                     proposal(name, known, beginning.size()).c_str());
    }
}

}  // namespace ovni::run
