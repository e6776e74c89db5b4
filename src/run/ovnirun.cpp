// ovnirun: runs a program with the tracing libraries in it.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "run/control_options.hpp"
#include "run/drainer_companion.hpp"
#include "run/first_rank.hpp"
#include "run/launch.hpp"
#include "run/linkage.hpp"
#include "run/options.hpp"
#include "run/preload.hpp"

namespace {

ovni::run::Numbering numbering() {
    const char* chains = getenv("OVNI_CONTROL");
    return chains && *chains ? ovni::run::Numbering::at_creation : ovni::run::Numbering::none;
}

int run(char** argv) {
    ovni::run::Options options = ovni::run::parse_options(argv);
    if (!options.answer.empty()) {
        std::fputs(options.answer.c_str(), stdout);
        return 0;
    }
    for (const auto& [variable, value] : options.environment) setenv(variable.c_str(), value.c_str(), 1);
    setenv("LD_PRELOAD", ovni::run::preload_list(getenv("LD_PRELOAD"), numbering()).c_str(), 1);
    // The program may be started from another directory.
    for (const char* directory : {"OVNI_TRACEDIR", "OVNI_TMPDIR", "OVNI_CONTROL_LOG"})
        if (const char* given = getenv(directory); given && *given)
            setenv(directory, std::filesystem::absolute(given).c_str(), 1);
    const char* program = options.program[0];
    if (ovni::run::is_first_rank()) ovni::run::print_warnings_about_chains();
    if (ovni::run::is_first_rank() && ovni::run::is_linked_statically(program))
        std::fprintf(stderr, "ovnirun: %s is linked statically, so nothing of it is recorded\n", program);
    ovni::run::DrainerCompanion companion;
    ovni::run::Launch launch{argv, options.program};
    return options.detach ? run_detached(launch, companion) : run_as_parent(launch, companion);
}

}  // namespace

int main(int, char** argv) {
    return ovni::run_main("ovnirun", [&] { return run(argv); });
}
