// The variables of a 64-bit ELF file, by address: from its symbol table, else from its dynamic symbols.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/elf_file.hpp"

namespace ovni::threads {

struct DataSymbol {
    uint64_t place;  // virtual address in the file
    uint32_t size, name;
};

class DataSymbols {
 public:
    // Empty after an error, or if the file is no 64-bit ELF file. The data stays in memory.
    void read(const char* path) noexcept;
    // The variable that contains the address, null if none does.
    const DataSymbol* at(uint64_t place) const noexcept;
    // Zero terminated.
    const char* name_of(const DataSymbol& symbol) const noexcept { return names_ + symbol.name; }

 private:
    bool take(const ElfSymbols& all) noexcept;

    DataSymbol* symbols_ = nullptr;
    size_t count_ = 0;
    const char* names_ = nullptr;
};

}  // namespace ovni::threads
