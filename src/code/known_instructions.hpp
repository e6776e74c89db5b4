// Names that alarms of types isa-extension and isa-category may have, in capitals. Both tables are empty
// where libovni-code.so is not built.
#pragma once

#include <span>
#include <string_view>

namespace ovni::code {

std::span<const std::string_view> known_extensions();
std::span<const std::string_view> known_categories();

}  // namespace ovni::code
