// Functions of MPI 4 with large counts: MPI_Send_c does what MPI_Send does.
#pragma once

#include <string_view>

namespace ovni {

// The name of the function that does the same with counts of int: the same name if it has such counts itself.
constexpr std::string_view without_large_counts(std::string_view name) {
    constexpr std::string_view large_counts = "_c";
    if (name.ends_with(large_counts)) name.remove_suffix(large_counts.size());
    return name;
}

}  // namespace ovni
