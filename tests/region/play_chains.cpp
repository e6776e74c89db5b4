// Reads lines "control CHAIN" and "trace TOKENS" (chain_player.hpp) and prints for each trace what the chains
// before it fire.
#include <iostream>
#include <string>
#include <vector>

#include "tests/region/chain_player.hpp"

int main() {
    constexpr std::string_view control = "control ";
    constexpr std::string_view trace = "trace ";
    std::vector<std::string> chains;
    for (std::string line; std::getline(std::cin, line);) {
        if (line.starts_with(control)) chains.push_back(line.substr(control.size()));
        if (!line.starts_with(trace)) continue;
        std::cout << ovni::region::test::play(chains, std::string_view(line).substr(trace.size())) << '\n';
        chains.clear();
    }
}
