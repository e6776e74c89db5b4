#include "base/log.hpp"

#include <cstdio>
#include <mutex>
#include <string>

#include "base/printable.hpp"

namespace ovni::log {

namespace {
std::string program = "ovni";
bool debug_enabled = false;
std::mutex mutex;
std::set<std::string> all_warnings;
thread_local Level lowest_of_thread = Level::debug;
thread_local int silences = 0;

constexpr std::string_view names[] = {"DEBUG", "INFO", "WARN", "ERROR"};
}  // namespace

void set_program(std::string_view name) {
    program = name;
}
void enable_debug() {
    debug_enabled = true;
}
void print_from(Level lowest) {
    lowest_of_thread = lowest;
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
    if (level < lowest_of_thread) return;
    fmt::print(stderr, "{}: {}: {}\n", program, names[static_cast<size_t>(level)], message_text(text));
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
