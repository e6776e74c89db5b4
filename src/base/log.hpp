// Messages of the tools on stderr: "program: LEVEL: text". Errors that end a program are thrown (error.hpp);
// ERROR here is for faults that are reported one by one while the program goes on.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>

namespace ovni::log {

void set_program(std::string_view name);
// Debug messages are printed only after this call.
void enable_debug();
// Prints nothing but errors from now on: for the ranks other than 0 of an MPI program.
void only_errors();
// All warnings so far, also those that only_errors() kept from being printed. Each text is printed once.
const std::set<std::string>& kept_warnings();

// Suppresses all messages during its lifetime.
class Silence {
 public:
    Silence();
    ~Silence();
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;
};

void write(std::string_view level, std::string_view text);
void write_warning(const std::string& text);

template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
    write("INFO", fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
    write_warning(fmt::format(format, std::forward<Args>(args)...));
}
// A warning about what the program writes, not about what it reads: it is left out of kept_warnings().
template <class... Args>
void warn_of_output(fmt::format_string<Args...> format, Args&&... args) {
    write("WARN", fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
    write("ERROR", fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
    write("DEBUG", fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace ovni::log
