#include "threads/data_symbols.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace ovni::threads {

namespace {

// The contents of a section; empty if they do not lie in the file.
template <class T>
std::span<const T> contents(const uint8_t* file, size_t size, const Elf64_Shdr& section) {
    bool lies_within = section.sh_offset <= size && section.sh_size <= size - section.sh_offset &&
                       section.sh_offset % alignof(T) == 0;
    if (!lies_within) return {};
    return {reinterpret_cast<const T*>(file + section.sh_offset), section.sh_size / sizeof(T)};
}

std::span<const Elf64_Shdr> sections_of(const uint8_t* file, size_t size) {
    Elf64_Ehdr header;
    if (size < sizeof header) return {};
    memcpy(&header, file, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_shentsize != sizeof(Elf64_Shdr))
        return {};
    Elf64_Shdr all{};
    all.sh_offset = header.e_shoff;
    all.sh_size = header.e_shnum * sizeof(Elf64_Shdr);
    return contents<Elf64_Shdr>(file, size, all);
}

const Elf64_Shdr* find_section(std::span<const Elf64_Shdr> sections, uint32_t type) {
    for (const Elf64_Shdr& section : sections)
        if (section.sh_type == type && section.sh_link < sections.size()) return &section;
    return nullptr;
}

bool is_variable(const Elf64_Sym& symbol, size_t name_bytes) {
    unsigned type = ELF64_ST_TYPE(symbol.st_info);
    return (type == STT_OBJECT || type == STT_COMMON) && symbol.st_shndx != SHN_UNDEF && symbol.st_size > 0 &&
           symbol.st_name < name_bytes;
}

DataSymbol* memory_for(size_t count) {
    void* memory =
        mmap(nullptr, count * sizeof(DataSymbol), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<DataSymbol*>(memory);
}

}  // namespace

bool DataSymbols::take(const uint8_t* file, size_t size) noexcept {
    const auto sections = sections_of(file, size);
    const Elf64_Shdr* table = find_section(sections, SHT_SYMTAB);
    if (!table) table = find_section(sections, SHT_DYNSYM);
    if (!table) return false;
    const auto all = contents<Elf64_Sym>(file, size, *table);
    const auto names = contents<char>(file, size, sections[table->sh_link]);
    if (names.empty() || names.back() != '\0') return false;
    auto is_wanted = [&](const Elf64_Sym& symbol) { return is_variable(symbol, names.size()); };
    const auto wanted = static_cast<size_t>(std::ranges::count_if(all, is_wanted));
    symbols_ = wanted > 0 ? memory_for(wanted) : nullptr;
    if (!symbols_) return false;
    for (const Elf64_Sym& symbol : all)
        if (is_wanted(symbol))
            symbols_[count_++] = {symbol.st_value,
                                  static_cast<uint32_t>(std::min<uint64_t>(symbol.st_size, UINT32_MAX)),
                                  symbol.st_name};
    std::sort(symbols_, symbols_ + count_,
              [](const DataSymbol& a, const DataSymbol& b) { return a.place < b.place; });
    names_ = names.data();
    return true;
}

// Opened by system calls: functions of the C library could be cancelled, or replaced by the program.
void DataSymbols::read(const char* path) noexcept {
    auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
    if (file < 0) return;
    struct stat about {};
    bool has_size = fstat(file, &about) == 0 && about.st_size > 0;
    const auto size = static_cast<size_t>(about.st_size);
    void* bytes = has_size ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    syscall(SYS_close, file);
    if (bytes != MAP_FAILED && !take(static_cast<const uint8_t*>(bytes), size)) munmap(bytes, size);
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
