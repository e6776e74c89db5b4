// Messages of the tools on stderr: "program: LEVEL: text". Errors that end a program are thrown (error.hpp);
// ERROR here is for faults that are reported one by one while the program goes on. Threads may write at once.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace ovni::log {

enum class Level : uint8_t { debug, info, warning, error };

void set_program(std::string_view name);
// Debug messages are printed only after this call.
void enable_debug();
// This thread prints nothing below that level from now on: for ranks that leave the rest to rank 0.
void print_from(Level lowest);
// Advice about errors, which is printed once, behind the first of them.
void advise(std::function<bool(std::string_view error)> concerns, std::string advice);
// All warnings so far of this process, printed or not. Each text is printed once.
std::set<std::string> kept_warnings();

// Suppresses all messages of this thread during its lifetime.
class Silence {
 public:
    Silence();
    ~Silence();
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;
};

void write(Level level, std::string_view text);
void write_warning(const std::string& text);

template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
    write(Level::info, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
    write_warning(fmt::format(format, std::forward<Args>(args)...));
}
// A warning about what the program writes, not about what it reads: it is left out of kept_warnings().
template <class... Args>
void warn_of_output(fmt::format_string<Args...> format, Args&&... args) {
    write(Level::warning, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
    write(Level::error, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
    write(Level::debug, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace ovni::log
