// Names of runs. All processes of a job know the name of its launcher's job, which may come again with a
// later job. MPI_Init adds to it, as "job-0123456789abcdef.20261128T163303Z-17": wrappers of the program that
// ended before have the stem.
#pragma once

#include <string_view>

namespace ovni {

// Names that users give are no stems.
constexpr bool is_stem_of(std::string_view stem, std::string_view name) {
    constexpr std::string_view form = "job-0123456789abcdef";
    const bool is_of_job = stem.size() == form.size() && stem.starts_with("job-");
    return is_of_job && name.size() > stem.size() && name.starts_with(stem) && name[stem.size()] == '.';
}

constexpr bool are_of_one_run(std::string_view one, std::string_view other) {
    return one == other || is_stem_of(one, other) || is_stem_of(other, one);
}

}  // namespace ovni
