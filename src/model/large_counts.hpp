// Functions of MPI 4 with large counts: MPI_Send_c does what MPI_Send does.
#pragma once

#include <string_view>

namespace ovni {

// The name of the corresponding function with counts of int; `name` itself if it has such counts.
constexpr std::string_view without_large_counts(std::string_view name) {
    constexpr std::string_view large_counts = "_c";
    if (name.ends_with(large_counts)) name.remove_suffix(large_counts.size());
    return name;
}

}  // namespace ovni
