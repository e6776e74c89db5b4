// The variables of an ELF file of 64 bits, by place: those of its symbol table, else of its dynamic symbols.
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
    // None after an error, or if the file is none of this kind. What is read stays in memory.
    void read(const char* path) noexcept;
    // The variable that has the place, null if none has.
    const DataSymbol* at(uint64_t place) const noexcept;
    // Ends with a zero.
    const char* name_of(const DataSymbol& symbol) const noexcept { return names_ + symbol.name; }

 private:
    bool take(const ElfSymbols& all) noexcept;

    DataSymbol* symbols_ = nullptr;
    size_t count_ = 0;
    const char* names_ = nullptr;
};

}  // namespace ovni::threads
