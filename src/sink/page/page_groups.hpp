// Hosts and processes put together if a page would have too many of them. Plain arithmetic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ovni {

// Items that follow one another in at most so many groups of nearly equal size.
class PageGroups {
 public:
    PageGroups(size_t items, size_t most_groups) : items_(items), groups_(std::min(items, most_groups)) {}

    size_t size() const { return groups_; }
    size_t of(size_t item) const { return item * groups_ / items_; }
    // The names of items that have them: "node1", or "node1 to node4".
    std::vector<std::string> names(const std::vector<std::string>& of_items) const {
        std::vector<std::string> names(groups_);
        std::vector<const std::string*> last(groups_, nullptr);
        for (size_t i = 0; i < items_; ++i) {
            if (names[of(i)].empty()) names[of(i)] = of_items[i];
            last[of(i)] = &of_items[i];
        }
        for (size_t g = 0; g < groups_; ++g)
            if (last[g] != nullptr && *last[g] != names[g]) names[g] += " to " + *last[g];
        return names;
    }

 private:
    size_t items_, groups_;
};

}  // namespace ovni
