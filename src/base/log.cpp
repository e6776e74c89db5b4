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
std::mutex mutex;
std::set<std::string> all_warnings;
struct Advice {
    std::string part, text;  // no text: it has been printed, or there is none
} advice;
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
void advise(std::string part, std::string text) {
    const std::lock_guard lock(mutex);
    advice = {std::move(part), std::move(text)};
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

// The advice for an error; empty if there is none.
static std::string take_advice(std::string_view error) {
    const std::lock_guard lock(mutex);
    if (advice.text.empty() || error.find(advice.part) == error.npos) return {};
    return std::exchange(advice.text, {});
}

void write(Level level, std::string_view text) {
    if (silences > 0 || (level == Level::debug && !debug_enabled)) return;
    if (level < lowest_of_thread) return;
    // What cannot be said on stderr is not said: fmt::print() would throw.
    const std::string line =
        fmt::format("{}: {}: {}\n", program, names[static_cast<size_t>(level)], message_text(text));
    std::fwrite(line.data(), 1, line.size(), stderr);
    if (level != Level::error) return;
    if (const std::string what_next = take_advice(text); !what_next.empty()) info("{}", what_next);
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
