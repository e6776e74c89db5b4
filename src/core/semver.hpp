// Versions of models and of the library: major.minor.patch; text after a further '-' or '.' is ignored. A
// trace is compatible by the rule of semantic versioning: the major number equals the reader's, and the minor
// number is not newer than the reader's.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string_view>

namespace ovni {

struct Version {
    int major = 0, minor = 0, patch = 0;
    friend constexpr auto operator<=>(Version, Version) = default;
};

// Empty if the text has more than 63 bytes, fewer than three numbers, or other characters than digits in
// them.
constexpr std::optional<Version> parse_version(std::string_view text) {
    constexpr size_t longest = 63;
    if (text.size() > longest) return std::nullopt;
    int numbers[3] = {};
    size_t at = 0;
    for (int i = 0; i < 3; ++i) {
        size_t first = at;
        for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
            if (numbers[i] > 99'999'999) return std::nullopt;
            numbers[i] = numbers[i] * 10 + (text[at] - '0');
        }
        if (at == first) return std::nullopt;
        if (i == 2) break;
        if (at == text.size() || text[at] != '.') return std::nullopt;
        ++at;
    }
    if (at < text.size() && text[at] != '.' && text[at] != '-') return std::nullopt;
    return Version{numbers[0], numbers[1], numbers[2]};
}

// True if a reader that implements `have` can read a trace of version `want`.
constexpr bool compatible(Version want, Version have) {
    return want.major == have.major && want.minor <= have.minor;
}

}  // namespace ovni
