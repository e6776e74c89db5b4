#include "code/function_list.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

#include "code/function_names.hpp"

namespace ovni::code {

namespace {

template <class See>
void for_each_name(std::span<const ElfImage> images, See see) {
    for (const ElfImage& image : images)
        for_each_function(image, [&](const Function& function) {
            if (is_fragment(function.symbol) || !image.holds(function.address)) return;
            const std::string whole = demangled(plain_symbol(function.symbol));
            see(bare_name(whole), whole, image.path);
        });
}

// Letters that are added, left out or changed (Wagner and Fischer 1974).
size_t distance(std::string_view one, std::string_view other) {
    std::vector<size_t> row(other.size() + 1);
    for (size_t k = 0; k <= other.size(); ++k) row[k] = k;
    for (size_t i = 1; i <= one.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= other.size(); ++k) {
            const size_t changed = diagonal + (one[i - 1] == other[k - 1] ? 0 : 1);
            diagonal = row[k];
            row[k] = std::min({row[k] + 1, row[k - 1] + 1, changed});
        }
    }
    return row.back();
}

}  // namespace

void print_functions(std::span<const ElfImage> images, const char* pattern) {
    const std::string_view wanted = pattern;
    const bool is_glob = wanted.find_first_of("*?") != wanted.npos;
    auto holds = [&](const std::string& name) {
        return is_glob ? ::fnmatch(pattern, name.c_str(), 0) == 0 : name.find(wanted) != name.npos;
    };
    std::set<std::string> lines;
    for_each_name(images, [&](const std::string& bare, const std::string& whole, const std::string& file) {
        if (holds(bare) || holds(whole)) lines.insert(bare + "\t" + whole + "\t" + file + "\n");
    });
    for (const std::string& line : lines) std::fputs(line.c_str(), stdout);
    std::fflush(stdout);
}

std::string nearest_functions(std::span<const ElfImage> images, std::string_view name) {
    constexpr size_t most = 3;
    const size_t farthest = 1 + name.size() / 5;
    std::set<std::pair<size_t, std::string>> nearest;
    for_each_name(images, [&](const std::string& bare, const std::string&, const std::string&) {
        const size_t longer = std::max(bare.size(), name.size()),
                     shorter = std::min(bare.size(), name.size());
        if (longer - shorter > farthest) return;
        if (const size_t far = distance(bare, name); far <= farthest) nearest.emplace(far, bare);
    });
    std::string text;
    size_t count = 0;
    for (const auto& [far, bare] : nearest)
        if (count++ < most) text.append(text.empty() ? "'" : ", '").append(bare).append("'");
    return text;
}

}  // namespace ovni::code
