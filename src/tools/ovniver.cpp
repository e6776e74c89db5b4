// ovniver: which version of libovni a program is built with here, and which one the loader gives it.
#include <cstdio>
#include <cstdlib>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "ovni.h"

int main(int argc, char** argv) {
    return ovni::run_main("ovniver", [&] {
        ovni::Cli cli;
        cli.manual = {
            .program = "ovniver",
            .summary = "print the versions of libovni",
            .usage = "ovniver",
            .words = "",
            .description = "Prints the version of libovni at build time, and of the one that is loaded.",
            .options = {},
            .lists = "",
            .topics = {},
        };
        if (ovni::parse(cli, argc, argv) == ovni::Parsed::help_printed) return 0;
        if (!cli.words.empty()) throw ovni::UsageError("takes no words (see --help)");
        if (const char* path = std::getenv("LD_LIBRARY_PATH"))
            std::printf("LD_LIBRARY_PATH set to %s\n", path);
        else
            std::printf("LD_LIBRARY_PATH not set\n");
        const char *version = nullptr, *commit = nullptr;
        ovni_version_get(&version, &commit);
        std::printf("libovni: build v%s (%s), dynamic v%s (%s)\n", OVNI_LIB_VERSION, OVNI_GIT_COMMIT, version,
                    commit);
        return 0;
    });
}
