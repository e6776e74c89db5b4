// An ELF file that is loaded into this process: its path, its code in memory, its functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ovni::code {

struct CodeRange {
    uintptr_t begin, end;
    bool holds(uintptr_t address) const { return begin <= address && address < end; }
    auto operator<=>(const CodeRange&) const = default;
};

struct ElfImage {
    std::string path;        // of the file; empty for the vdso
    uintptr_t bias = 0;      // what is added to the addresses in the file
    uintptr_t lowest = 0;    // mapped address
    uintptr_t eh_frame = 0;  // PT_GNU_EH_FRAME; 0 if there is none
    std::string build_id;    // as bytes
    std::vector<CodeRange> code;

    bool holds(uintptr_t address) const;
    // The whole path, or the name of the file.
    bool is_named(std::string_view name) const;
    bool is_c_library() const;
};

// All loaded files, the program first, without the vdso, the dynamic loader and our own libraries.
std::vector<ElfImage> loaded_images();

// A function of a symbol table. The name is valid only during the call of see().
struct Function {
    const char* symbol;
    uintptr_t address;
    bool is_chosen;  // the code at the address chooses the function when the program is loaded (IFUNC)
};

// Calls see() for each function of the image, including local ones: from .symtab, from the separate debug
// file (by build id), or else from .dynsym. Files that cannot be read have no functions.
void for_each_function(const ElfImage& image, const std::function<void(const Function&)>& see);

// The sorted ranges that the image's unwind table covers: these are code, not data.
std::vector<CodeRange> covered_code(const ElfImage& image);

}  // namespace ovni::code
