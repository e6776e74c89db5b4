#include "base/log.hpp"

#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

#include "base/printable.hpp"

namespace ovni::log {

namespace {
std::string program = "ovni";
bool debug_enabled = false;
bool info_enabled = true;
std::mutex mutex;
std::set<std::string> all_warnings;
std::function<bool(std::string_view)> advice_concerns;
std::string advice;  // empty: it has been printed, or there is none
thread_local Level lowest_of_thread = Level::debug;
thread_local int silences = 0;

constexpr std::string_view names[] = {"DEBUG", "INFO", "WARN", "ERROR"};

// A line that stderr does not accept is dropped: fmt::print() would throw.
void print(Level level, std::string_view text) {
    const std::string line =
        fmt::format("{}: {}: {}\n", program, names[static_cast<size_t>(level)], message_text(text));
    std::fwrite(line.data(), 1, line.size(), stderr);
}

// Empty if there is none for this error.
std::string take_advice(std::string_view error) {
    const std::lock_guard lock(mutex);
    return advice.empty() || !advice_concerns(error) ? std::string() : std::exchange(advice, {});
}
}  // namespace

void set_program(std::string_view name) {
    program = name;
}
void enable_debug() {
    debug_enabled = true;
}
void disable_info() {
    info_enabled = false;
}
bool prints_info() {
    return info_enabled;
}
void print_from(Level lowest) {
    lowest_of_thread = lowest;
}
void advise(std::function<bool(std::string_view)> concerns, std::string text) {
    const std::lock_guard lock(mutex);
    advice_concerns = std::move(concerns);
    advice = std::move(text);
}
std::set<std::string> kept_warnings() {
    const std::lock_guard lock(mutex);
    return all_warnings;
}

Silence::Silence() {
    ++silences;
}
Silence::~Silence() {
    --silences;
}

void write(Level level, std::string_view text) {
    if (silences > 0 || (level == Level::debug && !debug_enabled)) return;
    if (level == Level::info && !info_enabled) return;
    if (level < lowest_of_thread) return;
    print(level, text);
    if (level != Level::error) return;
    // The rank that prints an error may be one that leaves all other messages to rank 0.
    if (const std::string what_next = take_advice(text); !what_next.empty()) print(Level::info, what_next);
}

void write_warning(const std::string& text) {
    if (silences > 0) return;
    const bool is_new = [&] {
        const std::lock_guard lock(mutex);
        return all_warnings.insert(text).second;
    }();
    if (is_new) write(Level::warning, text);
}

}  // namespace ovni::log
