// Programs whose words are scenarios.
#pragma once

#include <span>
#include <string_view>

namespace ovni::test {

struct Scenario {
    std::string_view name;
    void (*run)();
};

// Runs those that the command line names, in its order.
inline void run_named(std::span<const Scenario> scenarios, int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        for (const Scenario& scenario : scenarios)
            if (scenario.name == argv[i]) scenario.run();
}

}  // namespace ovni::test
