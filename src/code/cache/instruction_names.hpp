// Names of instruction-set extensions and of instruction categories: Zydis' names in capitals, and aliases.
#pragma once

#include <Zydis/Zydis.h>

#include <string_view>

namespace ovni::code {

struct InstructionNames {
    const char* what;
    const char* (*name_of)(int number);  // null, or the name
    int last;

    // Empty for an unknown number.
    std::string_view name(int number) const {
        const char* text = name_of(number);
        const std::string_view name = text == nullptr ? std::string_view() : text;
        return name == "INVALID" ? std::string_view() : name;
    }
    // -1 if nothing has that name.
    int number(std::string_view wanted) const;
};

inline constexpr InstructionNames instruction_extensions{
    "extension of the instruction set",
    [](int number) { return ZydisISAExtGetString(static_cast<ZydisISAExt>(number)); },
    ZYDIS_ISA_EXT_MAX_VALUE};
inline constexpr InstructionNames instruction_categories{
    "category of instructions",
    [](int number) { return ZydisCategoryGetString(static_cast<ZydisInstructionCategory>(number)); },
    ZYDIS_CATEGORY_MAX_VALUE};

// A name in other tools, and the Zydis name for it.
struct InstructionAlias {
    std::string_view name, ours;
};
inline constexpr InstructionAlias instruction_aliases[] = {
    {"AVX512", "AVX512EVEX"}, {"X86", "BASE"}, {"FPU", "X87"},      {"SSE4.1", "SSE4"},
    {"SSE4.2", "SSE4"},       {"BMI", "BMI1"}, {"DATA", "DATAXFER"}};

inline int InstructionNames::number(std::string_view wanted) const {
    for (int i = 0; i <= last; ++i)
        if (!wanted.empty() && name(i) == wanted) return i;
    for (const InstructionAlias& alias : instruction_aliases)
        if (alias.name == wanted) return number(alias.ours);
    return -1;
}

}  // namespace ovni::code
