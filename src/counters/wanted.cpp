#include "counters/wanted.hpp"

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "counters/report.hpp"

namespace ovni::counters {

namespace {

// A copy, as the program may change its environment.
char list[1024];
CounterChoice choice;
bool has_memory = false;

}  // namespace

std::span<const CounterRow> wanted_counters() noexcept {
    return choice.rows();
}

bool wants_memory() noexcept {
    return has_memory;
}

void read_wanted_counters() noexcept {
    const char* given = secure_getenv("OVNI_COUNTERS");
    if (!given) return;
    const size_t length = strnlen(given, sizeof list);
    memcpy(list, given, length);
    const std::string_view wrong = choice.take({list, length});
    if (!wrong.empty()) report_unknown(wrong);
    for (const CounterRow& row : choice.rows()) has_memory |= row.kind == CounterKind::memory;
}

}  // namespace ovni::counters
