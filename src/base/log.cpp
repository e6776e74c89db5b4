#include "base/log.hpp"

#include <cstdio>
#include <string>

#include "base/printable.hpp"

namespace ovni::log {

namespace {
std::string program = "ovni";
bool debug_enabled = false;
bool errors_only = false;
int silences = 0;
std::set<std::string> all_warnings;
}  // namespace

void set_program(std::string_view name) {
    program = name;
}
void enable_debug() {
    debug_enabled = true;
}
void only_errors() {
    errors_only = true;
}
const std::set<std::string>& kept_warnings() {
    return all_warnings;
}

Silence::Silence() {
    ++silences;
}
Silence::~Silence() {
    --silences;
}

void write(std::string_view level, std::string_view text) {
    if (silences > 0 || (level == "DEBUG" && !debug_enabled)) return;
    if (errors_only && level != "ERROR") return;
    fmt::print(stderr, "{}: {}: {}\n", program, level, message_text(text));
}

void write_warning(const std::string& text) {
    if (silences == 0 && all_warnings.insert(text).second) write("WARN", text);
}

}  // namespace ovni::log
