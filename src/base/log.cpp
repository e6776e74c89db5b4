#include "base/log.hpp"

#include <cstdio>
#include <string>

namespace ovni::log {

namespace {
std::string program = "ovni";
bool debug_enabled = false;
bool errors_only = false;
int silences = 0;
bool warnings_are_kept = false;
std::set<std::string> warnings;
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
void keep_warnings() {
    warnings_are_kept = true;
}
const std::set<std::string>& kept_warnings() {
    return warnings;
}

Silence::Silence() {
    ++silences;
}
Silence::~Silence() {
    --silences;
}

void write(std::string_view level, std::string_view text) {
    if (silences > 0 || (level == "DEBUG" && !debug_enabled)) return;
    if (warnings_are_kept && level == "WARN") warnings.emplace(text);
    if (errors_only && level != "ERROR") return;
    fmt::print(stderr, "{}: {}: {}\n", program, level, text);
}

}  // namespace ovni::log
