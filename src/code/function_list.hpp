// Lists the functions that alarms can name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "code/elf_image.hpp"

namespace ovni::code {

// Prints the functions whose bare or whole name contains the pattern, or matches it if it has a * or ?.
// Columns: bare name, whole name, file, separated by tabs; sorted.
void print_functions(std::span<const ElfImage> images, const char* pattern);

// Up to three bare names most similar to the name: "'solve', 'resolve'". Empty if none is similar.
std::string nearest_functions(std::span<const ElfImage> images, std::string_view name);

}  // namespace ovni::code
