#include "threads/data_symbols.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace ovni::threads {

namespace {

bool is_variable(const Elf64_Sym& symbol) {
    unsigned type = ELF64_ST_TYPE(symbol.st_info);
    return (type == STT_OBJECT || type == STT_COMMON) && symbol.st_shndx != SHN_UNDEF && symbol.st_size > 0;
}

DataSymbol* memory_for(size_t count) {
    void* memory =
        mmap(nullptr, count * sizeof(DataSymbol), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<DataSymbol*>(memory);
}

}  // namespace

bool DataSymbols::take(const ElfSymbols& all) noexcept {
    const auto wanted = [&](size_t number) { return is_variable(all[number]) && all.name_of(all[number]); };
    size_t count = 0;
    for (size_t i = 0; i < all.size(); ++i) count += wanted(i);
    symbols_ = count > 0 ? memory_for(count) : nullptr;
    if (!symbols_) return false;
    for (size_t i = 0; i < all.size(); ++i)
        if (const Elf64_Sym symbol = all[i]; wanted(i))
            symbols_[count_++] = {symbol.st_value,
                                  static_cast<uint32_t>(std::min<uint64_t>(symbol.st_size, UINT32_MAX)),
                                  symbol.st_name};
    std::sort(symbols_, symbols_ + count_,
              [](const DataSymbol& a, const DataSymbol& b) { return a.place < b.place; });
    names_ = all.name_of(Elf64_Sym{});
    return true;
}

void DataSymbols::read(const char* path) noexcept {
    ElfFile file(path);
    const ElfSymbols all = file.symbols(SHT_SYMTAB);
    if (take(all.size() > 0 ? all : file.symbols(SHT_DYNSYM))) file.keep();
}

const DataSymbol* DataSymbols::at(uint64_t place) const noexcept {
    const DataSymbol* end = symbols_ + count_;
    const DataSymbol* behind =
        std::upper_bound(static_cast<const DataSymbol*>(symbols_), end, place,
                         [](uint64_t wanted, const DataSymbol& symbol) { return wanted < symbol.place; });
    if (behind == symbols_) return nullptr;
    const DataSymbol* found = behind - 1;
    return place - found->place < found->size ? found : nullptr;
}

}  // namespace ovni::threads
