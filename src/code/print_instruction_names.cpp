// Prints the tables of code/known_instructions.hpp. Runs when ovnirun is built, so that ovnirun checks names
// without Zydis.
#include <cstdio>

#include "code/cache/instruction_names.hpp"

namespace {

void print(const char* table, const ovni::code::InstructionNames& names) {
    const auto print_name = [](std::string_view name) {
        std::printf("    \"%.*s\",\n", static_cast<int>(name.size()), name.data());
    };
    std::printf("const std::string_view %s[] = {\n", table);
    for (int i = 0; i <= names.last; ++i)
        if (const std::string_view name = names.name(i); !name.empty()) print_name(name);
    for (const ovni::code::InstructionAlias& alias : ovni::code::instruction_aliases)
        if (names.number(alias.ours) >= 0 && names.name(names.number(alias.name)) != alias.name)
            print_name(alias.name);
    std::printf("};\n");
}

}  // namespace

int main() {
    print("extensions", ovni::code::instruction_extensions);
    print("categories", ovni::code::instruction_categories);
}
