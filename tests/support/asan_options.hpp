// Options of AddressSanitizer, if a build has it: programs end as they would without it, our libraries are
// loaded into programs that are not built with it, and Open MPI leaks at exit.
#pragma once

#include <string>

namespace ovni::test {

inline const std::string asan_options =
    "detect_leaks=0:verify_asan_link_order=0:handle_segv=0:handle_abort=0";

}  // namespace ovni::test
