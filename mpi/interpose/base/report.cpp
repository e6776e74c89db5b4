#include "mpi/interpose/base/report.hpp"

#include <errno.h>
#include <stdio.h>

#include <algorithm>
#include <cstring>

#include "ovni/private.h"

namespace ovni::mpi {

void Report::once(const char* detail) noexcept {
    if (is_printed.exchange(true)) return;
    int saved = errno;
    char line[512] = "ovni-mpi: ";
    size_t used = strlen(line);
    // NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): every format is a literal of a Report
    int wanted = snprintf(line + used, sizeof line - used - 1, format, detail);
    used += std::clamp<size_t>(wanted < 0 ? 0 : static_cast<size_t>(wanted), 0, sizeof line - used - 2);
    line[used++] = '\n';
    ovni_private_print(line, used);
    errno = saved;
}

}  // namespace ovni::mpi
