// Messages of the tools on stderr: "program: LEVEL: text". Errors that end a program are thrown (error.hpp);
// ERROR here is for faults that are reported one by one while the program goes on. Thread-safe.
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
// Info messages are not printed after this call, on any thread.
void disable_info();
bool prints_info();
// Sets the lowest level that this thread prints: for ranks that leave other messages to rank 0.
void print_from(Level lowest);
// Registers advice that is printed once, after the first error for which concerns(error) is true.
void advise(std::function<bool(std::string_view error)> concerns, std::string advice);
// All warnings of this process so far, printed or not. Each text is printed only once.
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
// Prints a warning about the program's outputs, not its inputs: kept_warnings() does not contain it.
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
