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
std::atomic<bool> is_reported[std::size(counter_rows) + 1];
std::atomic<bool> is_scaled_reported{false}, is_closed_reported{false};

std::atomic<bool>& reported(const CounterRow& row) noexcept {
    const CounterRow* known = find_counter(row.name);
    return is_reported[known ? known - counter_rows : std::size(counter_rows)];
}

}  // namespace

void report_unknown(std::string_view word) noexcept {
    if (speaks_for_the_job())
        print(
            "ovni: OVNI_COUNTERS: '%.*s' is no counter, or one too many: it and all later words are ignored",
            static_cast<int>(std::min<size_t>(word.size(), 64)), word.data());
}

void report_refused(const CounterRow& row, const char* cause) noexcept {
    if (reported(row).exchange(true) || !speaks_for_the_job()) return;
    print("ovni: the counter %.*s is left out: %s", static_cast<int>(row.name.size()), row.name.data(),
          cause);
}

void report_scaled() noexcept {
    if (is_scaled_reported.exchange(true) || !speaks_for_the_job()) return;
    print("ovni: others use the processor's counters as well: some values are estimates");
}

void report_closed() noexcept {
    if (is_closed_reported.exchange(true)) return;
    print("ovni: process %d has closed the descriptors of its counters: threads count no more", getpid());
}

}  // namespace ovni::counters
