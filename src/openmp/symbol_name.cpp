#include "openmp/symbol_name.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/loaded_library.hpp"

namespace ovni::openmp {

namespace {

// A file in memory, read only. Nothing outside of it is given out, whatever its headers say.
class ElfFile {
 public:
    explicit ElfFile(const char* path) noexcept {
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) return;
        struct stat what {};
        if (fstat(file, &what) == 0 && S_ISREG(what.st_mode) && what.st_size > 0) {
            void* mapped = mmap(nullptr, static_cast<size_t>(what.st_size), PROT_READ, MAP_PRIVATE, file, 0);
            if (mapped != MAP_FAILED)
                bytes_ = static_cast<const char*>(mapped), size_ = static_cast<size_t>(what.st_size);
        }
        close(file);
    }
    ~ElfFile() {
        if (bytes_) munmap(const_cast<char*>(bytes_), size_);
    }
    ElfFile(const ElfFile&) = delete;
    ElfFile& operator=(const ElfFile&) = delete;

    // Null if it is no table of whole rows in the file.
    template <class Row>
    const Row* rows(uint64_t offset, uint64_t size) const noexcept {
        bool is_inside = offset <= size_ && size <= size_ - offset && offset % alignof(Row) == 0;
        return is_inside && size >= sizeof(Row) ? reinterpret_cast<const Row*>(bytes_ + offset) : nullptr;
    }
    // Null unless a zero ends it within the file.
    const char* text(const Elf64_Shdr& names, uint64_t at) const noexcept {
        const char* begin = rows<char>(names.sh_offset, names.sh_size);
        if (!begin || at >= names.sh_size || !memchr(begin + at, 0, names.sh_size - at)) return nullptr;
        return begin + at;
    }

 private:
    const char* bytes_ = nullptr;
    size_t size_ = 0;
};

// The function of one of the file's tables of symbols. The name lies in the file.
Symbol function_at(const ElfFile& file, uint32_t table, uint64_t value) noexcept {
    const auto* header = file.rows<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr));
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
        return {};
    const auto* sections =
        file.rows<Elf64_Shdr>(header->e_shoff, uint64_t{header->e_shnum} * sizeof(Elf64_Shdr));
    for (unsigned i = 0; sections && i < header->e_shnum; ++i) {
        if (sections[i].sh_type != table || sections[i].sh_link >= header->e_shnum) continue;
        const auto* symbols = file.rows<Elf64_Sym>(sections[i].sh_offset, sections[i].sh_size);
        for (uint64_t k = 0; symbols && k < sections[i].sh_size / sizeof(Elf64_Sym); ++k)
            if (LoadedLibrary::covers(symbols[k], value))
                return {file.text(sections[sections[i].sh_link], symbols[k].st_name), symbols[k].st_value};
    }
    return {};
}

// The table of a file that was not stripped has local functions, too.
Symbol function_at(const ElfFile& file, uint64_t value) noexcept {
    const Symbol any = function_at(file, SHT_SYMTAB, value);
    return any.name ? any : function_at(file, SHT_DYNSYM, value);
}

// True if the library in memory was read from such a file. A path may be relative to a directory that is no
// longer the current one, or name a file that was replaced.
bool is_file_of(const LoadedLibrary& library, const ElfFile& file) noexcept {
    const auto* header = file.rows<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr));
    return header && library.begin() && memcmp(header, library.begin(), sizeof *header) == 0;
}

const char* path_of(const LoadedLibrary& library) noexcept {
    return *library.path() ? library.path() : "/proc/self/exe";
}

const char* file_name(const char* path) noexcept {
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void write(const char* name, uintptr_t distance, char* text, size_t size) noexcept {
    int status = 0;
    char* plain = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    const char* shown = plain ? plain : name;
    if (distance == 0)
        snprintf(text, size, "%s", shown);
    else
        snprintf(text, size, "%.*s+0x%zx", static_cast<int>(size > 20 ? size - 20 : 0), shown, distance);
    free(plain);
}

}  // namespace

void name_code(const void* address, Address kind, char* text, size_t size) noexcept {
    const auto at = reinterpret_cast<uintptr_t>(address);
    // Behind a call that does not return there may be another function.
    const uintptr_t inside = kind == Address::return_of_call ? at - 1 : at;
    const LoadedLibrary library = LoadedLibrary::at(reinterpret_cast<const void*>(inside));
    if (!library) {
        snprintf(text, size, "0x%zx", at);
        return;
    }
    const uint64_t value = inside - library.base();
    const ElfFile file(path_of(library));
    const Symbol in_file = is_file_of(library, file) ? function_at(file, value) : Symbol();
    const Symbol function = in_file.name ? in_file : library.function_at(value);
    if (function.name) return write(function.name, at - library.base() - function.address, text, size);
    const char* shown = *library.path() ? file_name(library.path()) : "program";
    snprintf(text, size, "%s+0x%zx", shown, at - library.base());
}

}  // namespace ovni::openmp
