// The symbols of a 64-bit ELF file, read from its mapping. All offsets in the file are checked, so nothing
// outside of it is returned.
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace ovni {

// A symbol table with its names. Valid as long as the file is mapped.
class ElfSymbols {
 public:
    ElfSymbols() = default;
    ElfSymbols(std::span<const uint8_t> rows, std::span<const char> names) noexcept
        : rows_(rows), names_(names) {}

    size_t size() const noexcept { return rows_.size() / sizeof(Elf64_Sym); }
    Elf64_Sym operator[](size_t number) const noexcept {
        Elf64_Sym symbol;
        memcpy(&symbol, rows_.data() + number * sizeof symbol, sizeof symbol);
        return symbol;
    }
    // Null if it has none. Zero terminated.
    const char* name_of(const Elf64_Sym& symbol) const noexcept {
        return symbol.st_name < names_.size() ? &names_[symbol.st_name] : nullptr;
    }

 private:
    std::span<const uint8_t> rows_;
    std::span<const char> names_;
};

class ElfFile {
 public:
    // Has no symbols if the file cannot be read. Uses system calls: functions of the C library could be
    // cancelled, or replaced by the program.
    explicit ElfFile(const char* path) noexcept {
        const auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
        if (file < 0) return;
        struct stat about {};
        if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
            const auto size = static_cast<size_t>(about.st_size);
            void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
            if (mapped != MAP_FAILED) bytes_ = {static_cast<const uint8_t*>(mapped), size};
        }
        syscall(SYS_close, file);
    }
    ~ElfFile() {
        if (!bytes_.empty()) munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
    }
    ElfFile(const ElfFile&) = delete;
    ElfFile& operator=(const ElfFile&) = delete;

    // Keeps the file mapped until the process ends.
    void keep() noexcept { bytes_ = {}; }
    // True if the file's header equals the mapped one.
    bool has_header(const void* mapped) const noexcept {
        return mapped && bytes_.size() >= sizeof(Elf64_Ehdr) &&
               memcmp(bytes_.data(), mapped, sizeof(Elf64_Ehdr)) == 0;
    }
    // The first symbol table of type SHT_SYMTAB or SHT_DYNSYM; empty if there is none.
    ElfSymbols symbols(uint32_t type) const noexcept {
        const auto header = row<Elf64_Ehdr>(0);
        if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
            header.e_shentsize != sizeof(Elf64_Shdr))
            return {};
        const auto section = [&](size_t number) {
            return number < header.e_shnum ? row<Elf64_Shdr>(header.e_shoff + number * sizeof(Elf64_Shdr))
                                           : Elf64_Shdr{};
        };
        for (size_t i = 0; i < header.e_shnum; ++i)
            if (const Elf64_Shdr table = section(i); table.sh_type == type)
                return {part(table.sh_offset, table.sh_size), names_in(section(table.sh_link))};
        return {};
    }

 private:
    std::span<const uint8_t> part(uint64_t offset, uint64_t size) const noexcept {
        if (offset > bytes_.size() || size > bytes_.size() - offset) return {};
        return bytes_.subspan(offset, size);
    }
    // All zero if it is not inside the file.
    template <class Row>
    Row row(uint64_t offset) const noexcept {
        Row row{};
        if (const auto bytes = part(offset, sizeof row); !bytes.empty())
            memcpy(&row, bytes.data(), sizeof row);
        return row;
    }
    // Empty unless the last name is zero terminated.
    std::span<const char> names_in(const Elf64_Shdr& section) const noexcept {
        const auto bytes = part(section.sh_offset, section.sh_size);
        if (bytes.empty() || bytes.back() != 0) return {};
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

    std::span<const uint8_t> bytes_;
};

}  // namespace ovni
