// The functions that alarms can name, for users.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "code/elf_image.hpp"

namespace ovni::code {

// Prints the functions whose bare or whole name holds the pattern, or matches it if it has a * or ?: bare
// name, whole name, file, with tabs between, sorted.
void print_functions(std::span<const ElfImage> images, const char* pattern);

// Up to three bare names that are most like the name: "'solve', 'resolve'". Empty if none is.
std::string nearest_functions(std::span<const ElfImage> images, std::string_view name);

}  // namespace ovni::code
