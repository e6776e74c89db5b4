#include "code/known_instructions.hpp"

namespace ovni::code {

namespace {

#ifdef OVNI_HAS_INSTRUCTION_NAMES
#include "instruction_names.inc"
#else
const std::span<const std::string_view> extensions, categories;
#endif

}  // namespace

std::span<const std::string_view> known_extensions() {
    return extensions;
}

std::span<const std::string_view> known_categories() {
    return categories;
}

}  // namespace ovni::code
