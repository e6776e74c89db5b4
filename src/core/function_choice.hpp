// The functions of a table that a user chooses by a list of words, separated by commas, from left to right. A
// word adds functions, or removes them if it begins with '-' or '!':
//
//     all    none    default    tier1 tier2 tier3    p2p (a family)    MPI_Send or Send, in any letters
//
// A list that begins by removing starts from the default. Example: "default,-collective,MPI_Wtime"
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ovni {

inline constexpr uint8_t last_default_tier = 2;

// Compares without regard to case.
constexpr bool same_letters(std::string_view a, std::string_view b) {
    auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
        if (lower(a[i]) != lower(b[i])) return false;
    return true;
}

// A row has a name, "MPI_Send", a family and a tier.
template <class Row>
constexpr bool is_meant(std::string_view word, const Row& row) {
    constexpr size_t prefix = 4;
    std::string_view name = row.name;
    if (word == "all") return true;
    if (word == "default") return row.tier <= last_default_tier;
    if (word.size() == 5 && word.substr(0, 4) == "tier") return row.tier == word[4] - '0';
    return word == row.family || same_letters(word, name) || same_letters(word, name.substr(prefix));
}

// Calls choose(index, bool) for rows; the last call for a row counts. Skips unknown words and returns the
// first of them; empty if there is none.
template <class Rows, class Choose>
constexpr std::string_view choose_functions(std::string_view list, const Rows& rows, Choose choose) {
    auto choose_all = [&](std::string_view word, bool in) {
        bool any = false;
        for (size_t i = 0; i < rows.size(); ++i) {
            if (!is_meant(word, rows[i])) continue;
            choose(i, in);
            any = true;
        }
        return any;
    };
    auto leaves_out = [](std::string_view word) {
        return !word.empty() && (word[0] == '-' || word[0] == '!');
    };
    choose_all("all", false);
    if (list.empty() || leaves_out(list)) choose_all("default", true);
    std::string_view wrong;
    while (!list.empty()) {
        std::string_view word = list.substr(0, list.find(','));
        list.remove_prefix(word.size() < list.size() ? word.size() + 1 : word.size());
        bool in = !leaves_out(word);
        std::string_view meant = word.substr(in ? 0 : 1);
        bool known = meant == "none" ? in && choose_all("all", false) : choose_all(meant, in);
        if (!known && wrong.empty()) wrong = word.empty() ? std::string_view(",") : word;
    }
    return wrong;
}

}  // namespace ovni
