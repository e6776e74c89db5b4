// ovnirun: runs a program with the tracing libraries in it.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "run/options.hpp"
#include "run/preload.hpp"

namespace {

constexpr int not_found = 127;
constexpr int not_executable = 126;

int run(char** argv) {
    ovni::run::Options options = ovni::run::parse_options(argv);
    if (options.help) {
        std::fputs(ovni::run::help_text().c_str(), stdout);
        return 0;
    }
    setenv("LD_PRELOAD", ovni::run::preload_list(getenv("LD_PRELOAD")).c_str(), 1);
    for (const auto& [variable, value] : options.environment) setenv(variable.c_str(), value.c_str(), 1);
    execvp(options.program[0], options.program);
    int cause = errno;
    fmt::print(stderr, "ovnirun: {}: {}\n", options.program[0], std::strerror(cause));
    return cause == ENOENT ? not_found : not_executable;
}

}  // namespace

int main(int, char** argv) {
    return ovni::run_main("ovnirun", [&] { return run(argv); });
}
