#include "base/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace ovni {

namespace {

bool is_same_letter(char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// Optimal string alignment (Damerau 1964; Wagner and Fischer 1974), row by row.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> before_last, last(b.size() + 1), row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const bool is_same = is_same_letter(a[i - 1], b[j - 1]);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (is_same ? 0 : 1)});
            const bool is_swapped =
                i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) && is_same_letter(a[i - 2], b[j - 1]);
            if (is_swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
        before_last = last;
        last.swap(row);
    }
    return last.back();
}

size_t common_begin(std::string_view a, std::string_view b) {
    return static_cast<size_t>(std::ranges::mismatch(a, b, is_same_letter).in1 - a.begin());
}

}  // namespace

std::string proposal(std::string_view word, std::span<const std::string> known, size_t shared) {
    return proposals(word, known, 1, shared);
}

std::string proposals(std::string_view word, std::span<const std::string> known, size_t most, size_t shared) {
    struct Near {
        size_t distance, behind;  // mistakes are rare at the begin of a word
        const std::string* name;
    };
    const size_t farthest = 1 + (word.size() - shared) / 5;
    std::vector<Near> near;
    for (const std::string& name : known)
        if (const size_t far = distance(word, name); far <= farthest)
            near.push_back({far, name.size() - common_begin(word, name), &name});
    std::ranges::stable_sort(near, {}, [](const Near& a) { return std::pair(a.distance, a.behind); });
    near.resize(std::min(near.size(), most));
    if (near.empty()) return "";
    std::string list;
    for (size_t i = 0; i < near.size(); ++i)
        list += fmt::format("{}'{}'", i == 0 ? "" : i + 1 < near.size() ? ", " : " or ", *near[i].name);
    return fmt::format(" (did you mean {}?)", list);
}

}  // namespace ovni
