// ovnirun: runs a program with the tracing libraries in it.
#include <sys/personality.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "core/launcher.hpp"
#include "core/mpi_families.hpp"
#include "core/wanted_events.hpp"
#include "run/control_options.hpp"
#include "run/drainer_companion.hpp"
#include "run/fresh_start.hpp"
#include "run/launch.hpp"
#include "run/linkage.hpp"
#include "run/misspellings.hpp"
#include "run/openmp.hpp"
#include "run/options.hpp"
#include "run/preload.hpp"
#include "run/trace_directory.hpp"

namespace {

bool records_pthreads() {
    const char* given = getenv("OVNI_PTHREAD");
    return given ? std::strcmp(given, "off") != 0 : !ovni::wants_reference_events();
}

bool is_set(const char* variable) {
    const char* given = getenv(variable);
    return given && *given;
}

// The program and its libraries lie at the same addresses in each run.
void keep_addresses() {
    constexpr unsigned long present = 0xffffffff;
    const int persona = personality(present);
    if (persona == -1 || personality(static_cast<unsigned long>(persona) | ADDR_NO_RANDOMIZE) == -1)
        std::fputs(
            "ovnirun: warning: the system chooses addresses anew for each run, so alarms at 0x... may be "
            "missed\n",
            stderr);
}

// The program may be started from another directory.
void complete_directories() {
    for (const char* variable : {"OVNI_TRACEDIR", "OVNI_TMPDIR"})
        if (is_set(variable))
            setenv(variable, ovni::run::complete_directory(variable, getenv(variable)).c_str(), 1);
    if (is_set("OVNI_CONTROL_LOG"))
        setenv("OVNI_CONTROL_LOG", ovni::run::absolute_if_possible(getenv("OVNI_CONTROL_LOG")).c_str(), 1);
}

bool can_be_recorded(bool anyway) {
    const char* given = getenv("OVNI_TRACEDIR");
    const std::string directory = given && *given ? given : ovni::run::absolute_if_possible("ovni");
    const std::string fault = ovni::run::why_not_writable(directory);
    if (fault.empty()) return true;
    if (ovni::is_first_rank_of_node())
        std::fprintf(stderr, "ovnirun: %s: nothing can be written to the trace directory %s (%s)%s\n",
                     anyway ? "warning" : "ERROR", directory.c_str(), fault.c_str(),
                     anyway ? ""
                            : ": the program was not run, name another directory with -o DIR, or run it "
                              "--anyway");
    return anyway;
}

// True if nothing is recorded of the program.
bool warn_about_unrecorded_program(const char* program) {
    if (ovni::is_first_rank()) {
        ovni::run::print_warnings_about_chains();
        ovni::run::warn_about_unknown_variables();
    }
    const ovni::run::Obstacle obstacle = ovni::run::what_keeps_libraries_out(program);
    if (obstacle && ovni::is_first_rank())
        std::fprintf(stderr, "ovnirun: %s %s, so nothing of it is recorded: %s\n", program, obstacle.cause,
                     obstacle.remedy);
    return bool(obstacle);
}

// The program prints its functions before it begins, and ends.
[[noreturn]] void list_functions(char** program, const char* preload) {
    if (!ovni::run::has_code_library())
        throw ovni::Error("is not installed, so functions cannot be listed", "libovni-code.so");
    if (const ovni::run::Obstacle obstacle = ovni::run::what_keeps_libraries_out(program[0]))
        throw ovni::Error(
            std::string(obstacle.cause) + ", so its functions cannot be listed: " + obstacle.remedy,
            program[0]);
    setenv("LD_PRELOAD", ovni::run::preload_list(preload, {.code = true}).c_str(), 1);
    execvp(program[0], program);
    throw ovni::Error(strerror(errno), program[0]);
}

int run(char** argv) {
    const char* preload = ovni::run::start_without_preload(argv);
    ovni::run::Options options = ovni::run::parse_options(argv);
    if (!options.answer.empty()) {
        std::fputs(options.answer.c_str(), stdout);
        return 0;
    }
    for (const auto& [variable, value] : options.environment) setenv(variable.c_str(), value.c_str(), 1);
    if (!is_set("OVNI_STREAM")) setenv("OVNI_STREAM", ovni::wants_reference_events() ? "plain" : "packed", 1);
    if (const char* pattern = getenv("OVNI_LIST_FUNCTIONS"); pattern && *pattern)
        list_functions(options.program, preload);
    ovni::run::Libraries wanted = ovni::run::libraries_for_chains();
    wanted.counters = is_set("OVNI_COUNTERS");
    wanted.threads |= records_pthreads();
    wanted.openmp = ovni::run::wanted_openmp();
    const std::vector<std::string> libraries = ovni::run::libraries_of(options.program[0]);
    wanted.mpi_family = ovni::mpi_family_among(libraries);
    wanted.sanitizers = ovni::run::sanitizers_among(libraries);
    if (!ovni::run::has_mpi_library(wanted.mpi_family) && ovni::is_first_rank())
        std::fprintf(
            stderr, "ovnirun: there is no tracing library for the MPI of %s, so its calls are not recorded\n",
            options.program[0]);
    setenv("LD_PRELOAD", ovni::run::preload_list(preload, wanted).c_str(), 1);
    ovni::run::name_tool_of_openmp(wanted.openmp);
    if (wanted.fixed_addresses) keep_addresses();
    const ovni::run::DirectoryOf directory_of = ovni::run::directory_of(getenv("OVNI_TRACEDIR"));
    complete_directories();
    if (!can_be_recorded(options.anyway)) return 1;
    const bool is_reported = warn_about_unrecorded_program(options.program[0]);
    using OlderTrace = ovni::run::DrainerCompanion::OlderTrace;
    const bool starts = ovni::run::can_be_started(options.program[0]);
    ovni::run::DrainerCompanion companion(is_reported, starts ? OlderTrace::moves_away : OlderTrace::stays,
                                          directory_of);
    ovni::run::Launch launch{argv, options.program};
    return options.detach ? run_detached(launch, companion) : run_as_parent(launch, companion);
}

}  // namespace

int main(int, char** argv) {
    return ovni::run_main("ovnirun", [&] { return run(argv); });
}
