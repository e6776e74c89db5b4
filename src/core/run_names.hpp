// Names of runs. All processes of a job know the name of its launcher's job, which a later job may reuse.
// MPI_Init appends a suffix, as in "job-0123456789abcdef.20261128T163303Z-17". Processes that ended before
// MPI_Init, such as wrapper scripts, have only the stem.
#pragma once

#include <string_view>

namespace ovni {

// True if `stem` is such a stem of `name`; false for names given by users.
constexpr bool is_stem_of(std::string_view stem, std::string_view name) {
    constexpr std::string_view form = "job-0123456789abcdef";
    const bool is_of_job = stem.size() == form.size() && stem.starts_with("job-");
    return is_of_job && name.size() > stem.size() && name.starts_with(stem) && name[stem.size()] == '.';
}

constexpr bool are_of_one_run(std::string_view one, std::string_view other) {
    return one == other || is_stem_of(one, other) || is_stem_of(other, one);
}

}  // namespace ovni
