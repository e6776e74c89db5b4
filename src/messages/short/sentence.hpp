// Texts that sentences on causes have in common.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace ovni {

inline constexpr double least_share = 0.03;  // of the run: less is no cause

// `cost`: a share of the run. Deadlocks and shared CPUs have more than 1, as they come first.
struct Sentence {
    double cost = 0;
    std::string text;
};

inline std::string time_text(double ns) {
    constexpr std::pair<double, std::string_view> units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    for (const auto& [length, name] : units)
        if (ns >= length) return fmt::format("{:.3g} {}", ns / length, name);
    return fmt::format("{:.0f} ns", ns);
}

inline std::string percent(double share) {
    return fmt::format("{:.0f} %", 100 * share);
}

}  // namespace ovni
