// The parts of the members of one collective, which stand together.
#pragma once

#include <cstddef>
#include <span>
#include <tuple>

#include "messages/scan/message_ends.hpp"

namespace ovni {

// Equal for the members of one collective.
inline auto collective_of(const CollectiveEnd& end) {
    return std::tuple(end.communicator, end.scope, end.made, end.turn);
}

// Calls take(its members) for each collective.
template <class Take>
void visit_collectives(std::span<const CollectiveEnd> all, Take take) {
    for (size_t i = 0; i < all.size();) {
        size_t end = i;
        while (end < all.size() && collective_of(all[end]) == collective_of(all[i])) ++end;
        take(all.subspan(i, end - i));
        i = end;
    }
}

}  // namespace ovni
