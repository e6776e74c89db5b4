#include "counters/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <iterator>

#include "core/launcher.hpp"
#include "ovni/private.h"

namespace ovni::counters {

namespace {

[[gnu::format(printf, 1, 2)]] void print(const char* format, ...) noexcept {
    const int saved = errno;
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    const int printed = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    size_t size = std::min<size_t>(printed < 0 ? 0 : static_cast<size_t>(printed), sizeof line - 2);
    line[size++] = '\n';
    ovni_private_print(line, size);
    errno = saved;
}

bool speaks_for_the_job() noexcept {
    return is_first_rank() && ovni_private_is_first_process();
}

// Counters that were refused, by their row; events of the processor that have none share the last.
std::atomic<bool> is_told[std::size(counter_rows) + 1];
std::atomic<bool> scaled_is_told{false}, gone_is_told{false};

std::atomic<bool>& told(const CounterRow& row) noexcept {
    const CounterRow* known = find_counter(row.name);
    return is_told[known ? known - counter_rows : std::size(counter_rows)];
}

}  // namespace

void tell_unknown(std::string_view word) noexcept {
    if (speaks_for_the_job())
        print(
            "ovni: OVNI_COUNTERS: '%.*s' is no counter, or one too many: it is left out, and what follows it",
            static_cast<int>(std::min<size_t>(word.size(), 64)), word.data());
}

void tell_refused(const CounterRow& row, const char* cause) noexcept {
    if (told(row).exchange(true) || !speaks_for_the_job()) return;
    print("ovni: the counter %.*s is left out: %s", static_cast<int>(row.name.size()), row.name.data(),
          cause);
}

void tell_scaled() noexcept {
    if (scaled_is_told.exchange(true) || !speaks_for_the_job()) return;
    print("ovni: others use the processor's counters as well: some values are estimates");
}

void tell_gone() noexcept {
    if (gone_is_told.exchange(true)) return;
    print("ovni: process %d has closed the descriptors of its counters: threads count no more", getpid());
}

}  // namespace ovni::counters
