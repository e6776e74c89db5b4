// Loaded libraries: found and read in memory without the loader's lock that is held while programs' code
// runs, and without a change of dlerror(), which dlsym() would clear. Nothing here allocates.
#pragma once

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>

#include "core/gnu_hash.hpp"

namespace ovni {

struct Symbol {
    const char* name = nullptr;
    uintptr_t address = 0;  // in the file
};

// The program, or a loaded library. Valid as long as it stays loaded.
class LoadedLibrary {
 public:
    // None.
    LoadedLibrary() = default;
    LoadedLibrary(uintptr_t base, const ElfW(Dyn) * dynamic, const char* path, const void* begin) noexcept
        : base_(base), dynamic_(dynamic), path_(path), begin_(begin) {}

    // The function or variable with that name in the first library that exports it, except for the library of
    // this code; null if there is none. Libraries loaded with RTLD_LOCAL count, too.
    static void* first_symbol(const char* name) noexcept { return first(name, is_symbol, true); }
    // The function of the first library behind that of this code, as dlsym(RTLD_NEXT) finds it.
    static void* next_function(const char* name) noexcept { return first(name, is_function, false); }

    // The library that an address is in.
    static LoadedLibrary at(const void* address) noexcept;
    // Calls visit(const LoadedLibrary&) for all libraries, in the order of loading, until it returns false.
    // visit must not wait.
    template <class Visit>
    static void for_each(Visit visit) noexcept {
        auto see = [](dl_phdr_info* info, size_t, void* how) {
            const LoadedLibrary library(*info);
            return library && !(*static_cast<Visit*>(how))(library) ? 1 : 0;
        };
        dl_iterate_phdr(see, &visit);
    }

    explicit operator bool() const noexcept { return dynamic_ != nullptr; }
    bool operator==(const LoadedLibrary& other) const noexcept { return dynamic_ == other.dynamic_; }
    bool is_ours() const noexcept { return dynamic_ == ::_DYNAMIC; }  // _DYNAMIC is that of this code

    uintptr_t base() const noexcept { return base_; }  // the loaded address minus the address in the file
    const void* dynamic() const noexcept { return dynamic_; }  // unique for each library
    const void* begin() const noexcept { return begin_; }      // where the mapping of the file begins
    size_t size() const noexcept;                              // of the mapping; 0 if unknown
    const char* path() const noexcept { return path_; }        // from the loader; "": the program
    const char* file_name() const noexcept {
        const char* slash = strrchr(path_, '/');
        return slash ? slash + 1 : path_;
    }

    // The exported function with that name, in its default version; null if there is none.
    void* function(const char* name) const noexcept { return find(name, is_function); }
    // Calls visit(name, address) for each exported function.
    template <class Visit>
    void for_each_function(Visit visit) const noexcept;
    // The loader's function for lazy binding of its calls; 0 if all are bound at loading.
    uint64_t binder() const noexcept {
        const auto* table_of_calls = table<uint64_t>(DT_PLTGOT);
        return table_of_calls == nullptr ? 0 : table_of_calls[2];
    }
    // The exported function that covers an address in the file.
    Symbol function_at(uint64_t address) const noexcept;
    // True if the symbol is a function defined here whose code contains the address in the file.
    static bool covers(const ElfW(Sym) & symbol, uint64_t address) noexcept {
        return is_function(symbol) && symbol.st_value <= address &&
               address - symbol.st_value < symbol.st_size;
    }
    // True if it is linked with `other`.
    bool needs(const LoadedLibrary& other) const noexcept;
    // Calls visit(name, place) for each place where the loader writes the address of an imported function or
    // variable. There may be several places for one name.
    template <class Visit>
    void for_each_import(Visit visit) const noexcept;
    // True if the loader makes the place read-only after writing to it.
    bool is_sealed(const void* place) const noexcept;
    bool holds(const void* address) const noexcept {
        return reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(begin_) < size();
    }

 private:
    explicit LoadedLibrary(const dl_phdr_info& info) noexcept;
    static bool is_function(const ElfW(Sym) & symbol) noexcept {
        return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF;
    }
    static bool is_symbol(const ElfW(Sym) & symbol) noexcept {
        const bool is_variable = ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_shndx != SHN_UNDEF;
        return is_variable || is_function(symbol);
    }
    using IsWanted = bool(const ElfW(Sym) &) noexcept;
    void* find(const char* name, IsWanted* is_wanted) const noexcept;
    static void* first(const char* name, IsWanted* is_wanted, bool before_ours) noexcept;
    template <class Row>
    const Row* table(int64_t tag) const noexcept;
    size_t number(int64_t tag) const noexcept;
    std::span<const ElfW(Phdr)> parts() const noexcept;
    static bool holds_address(const ElfW(Rela) & row) noexcept;
    const char* own_name() const noexcept;
    std::span<const ElfW(Sym)> symbols() const noexcept;

    uintptr_t base_ = 0;
    const ElfW(Dyn) * dynamic_ = nullptr;
    const char* path_ = "";
    const void* begin_ = nullptr;
};

inline LoadedLibrary::LoadedLibrary(const dl_phdr_info& info) noexcept
    : base_(info.dlpi_addr), path_(info.dlpi_name ? info.dlpi_name : "") {
    for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
        const auto& part = info.dlpi_phdr[i];
        const uintptr_t at = info.dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_DYNAMIC) dynamic_ = reinterpret_cast<const ElfW(Dyn)*>(at);
        if (part.p_type == PT_LOAD && part.p_offset == 0) begin_ = reinterpret_cast<const void*>(at);
    }
}

inline LoadedLibrary LoadedLibrary::at(const void* address) noexcept {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
    dl_find_object found{};
    if (_dl_find_object(const_cast<void*>(address), &found) != 0) return {};
    const link_map& map = *found.dlfo_link_map;
    return {map.l_addr, map.l_ld, map.l_name ? map.l_name : "", found.dlfo_map_start};
#else
    struct Search {
        uintptr_t address;
        LoadedLibrary found;
    } search{reinterpret_cast<uintptr_t>(address), {}};
    auto see = [](dl_phdr_info* info, size_t, void* what) {
        auto& wanted = *static_cast<Search*>(what);
        const bool covers =
            std::any_of(info->dlpi_phdr, info->dlpi_phdr + info->dlpi_phnum, [&](const auto& part) {
                return part.p_type == PT_LOAD &&
                       wanted.address - info->dlpi_addr - part.p_vaddr < part.p_memsz;
            });
        if (covers) wanted.found = LoadedLibrary(*info);
        return covers ? 1 : 0;
    };
    dl_iterate_phdr(see, &search);
    return search.found;
#endif
}

inline void* LoadedLibrary::first(const char* name, IsWanted* is_wanted, bool before_ours) noexcept {
    void* found = nullptr;
    bool is_in_reach = before_ours;
    for_each([&](const LoadedLibrary& library) {
        if (library.is_ours())
            is_in_reach = true;
        else if (is_in_reach)
            found = library.find(name, is_wanted);
        return found == nullptr;
    });
    return found;
}

inline std::span<const ElfW(Phdr)> LoadedLibrary::parts() const noexcept {
    const auto* header = static_cast<const ElfW(Ehdr)*>(begin_);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
    const void* parts = static_cast<const char*>(begin_) + header->e_phoff;
    return {static_cast<const ElfW(Phdr)*>(parts), header->e_phnum};
}

inline size_t LoadedLibrary::size() const noexcept {
    uintptr_t end = 0;
    for (const auto& part : parts())
        if (part.p_type == PT_LOAD) end = std::max(end, part.p_vaddr + part.p_memsz);
    const uintptr_t begin = reinterpret_cast<uintptr_t>(begin_) - base_;
    return end > begin ? end - begin : 0;
}

// The loader has replaced offsets in the section by addresses, unless the section is read-only.
template <class Row>
inline const Row* LoadedLibrary::table(int64_t tag) const noexcept {
    for (const ElfW(Dyn)* row = dynamic_; row && row->d_tag != DT_NULL; ++row) {
        if (row->d_tag != tag) continue;
        const uintptr_t address = row->d_un.d_ptr;
        return reinterpret_cast<const Row*>(address < base_ ? base_ + address : address);
    }
    return nullptr;
}

inline size_t LoadedLibrary::number(int64_t tag) const noexcept {
    for (const ElfW(Dyn)* row = dynamic_; row && row->d_tag != DT_NULL; ++row)
        if (row->d_tag == tag) return row->d_un.d_val;
    return 0;
}

inline void* LoadedLibrary::find(const char* name, IsWanted* is_wanted) const noexcept {
    const auto* symbols = table<ElfW(Sym)>(DT_SYMTAB);
    const auto* names = table<char>(DT_STRTAB);
    const auto* versions = table<uint16_t>(DT_VERSYM);
    constexpr uint16_t is_old = 0x8000;
    void* found = nullptr;
    auto visit = [&](uint32_t i) {
        if (!is_wanted(symbols[i]) || (versions && (versions[i] & is_old) != 0)) return true;
        if (strcmp(names + symbols[i].st_name, name) != 0) return true;
        found = reinterpret_cast<void*>(base_ + symbols[i].st_value);
        return false;
    };
    if (!symbols || !names) return nullptr;
    if (const auto* hash = table<uint32_t>(DT_GNU_HASH))
        GnuHash(hash).find(name, visit);
    else if (const auto* plain = table<uint32_t>(DT_HASH))
        for (uint32_t i = 0; i < plain[1] && visit(i);) ++i;
    return found;
}

// Empty if it has no names.
inline std::span<const ElfW(Sym)> LoadedLibrary::symbols() const noexcept {
    const auto* symbols = table<ElfW(Sym)>(DT_SYMTAB);
    const auto* hash = table<uint32_t>(DT_GNU_HASH);
    const auto* plain = table<uint32_t>(DT_HASH);
    if (!symbols || table<char>(DT_STRTAB) == nullptr || (!hash && !plain)) return {};
    return {symbols, hash ? GnuHash(hash).size() : plain[1]};
}

template <class Visit>
inline void LoadedLibrary::for_each_function(Visit visit) const noexcept {
    const auto* names = table<char>(DT_STRTAB);
    for (const ElfW(Sym) & symbol : symbols())
        if (is_function(symbol)) visit(names + symbol.st_name, base_ + symbol.st_value);
}

inline Symbol LoadedLibrary::function_at(uint64_t address) const noexcept {
    const std::span<const ElfW(Sym)> all = symbols();
    const auto found = std::ranges::find_if(all, [&](const ElfW(Sym) & one) { return covers(one, address); });
    if (found == all.end()) return {};
    return {table<char>(DT_STRTAB) + found->st_name, found->st_value};
}

inline const char* LoadedLibrary::own_name() const noexcept {
    const auto* names = table<char>(DT_STRTAB);
    for (const ElfW(Dyn)* row = dynamic_; names && row->d_tag != DT_NULL; ++row)
        if (row->d_tag == DT_SONAME) return names + row->d_un.d_val;
    return nullptr;
}

inline bool LoadedLibrary::needs(const LoadedLibrary& other) const noexcept {
    const auto* names = table<char>(DT_STRTAB);
    const char* own = other.own_name();
    for (const ElfW(Dyn)* row = dynamic_; names && row->d_tag != DT_NULL; ++row) {
        if (row->d_tag != DT_NEEDED) continue;
        const char* needed = names + row->d_un.d_val;
        if ((own && strcmp(needed, own) == 0) || strcmp(needed, other.file_name()) == 0 ||
            strcmp(needed, other.path()) == 0)
            return true;
    }
    return false;
}

// The loader rounds both ends of the part down to pages.
inline bool LoadedLibrary::is_sealed(const void* place) const noexcept {
    const auto page = ~(static_cast<uintptr_t>(getpagesize()) - 1);
    const uintptr_t address = reinterpret_cast<uintptr_t>(place);
    for (const auto& part : parts()) {
        const uintptr_t begin = (base_ + part.p_vaddr) & page,
                        end = (base_ + part.p_vaddr + part.p_memsz) & page;
        if (part.p_type == PT_GNU_RELRO && address >= begin && address < end) return true;
    }
    return false;
}

inline bool LoadedLibrary::holds_address(const ElfW(Rela) & row) noexcept {
#if defined(__x86_64__)
    constexpr uint32_t kinds[] = {R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_64};
#elif defined(__aarch64__)
    constexpr uint32_t kinds[] = {R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_ABS64};
#else
    constexpr uint32_t kinds[] = {UINT32_MAX};
#endif
    return row.r_addend == 0 && std::ranges::find(kinds, ELF64_R_TYPE(row.r_info)) != std::end(kinds);
}

template <class Visit>
inline void LoadedLibrary::for_each_import(Visit visit) const noexcept {
    const auto* symbols = table<ElfW(Sym)>(DT_SYMTAB);
    const auto* names = table<char>(DT_STRTAB);
    if (!symbols || !names) return;
    auto see = [&](const ElfW(Rela) * rows, size_t bytes) {
        for (const ElfW(Rela) & row : std::span(rows, rows ? bytes / sizeof *rows : 0)) {
            const ElfW(Sym)& symbol = symbols[ELF64_R_SYM(row.r_info)];
            if (symbol.st_name != 0 && symbol.st_shndx == SHN_UNDEF && holds_address(row))
                visit(names + symbol.st_name, reinterpret_cast<void**>(base_ + row.r_offset));
        }
    };
    see(table<ElfW(Rela)>(DT_RELA), number(DT_RELASZ));
    if (number(DT_PLTREL) == DT_RELA) see(table<ElfW(Rela)>(DT_JMPREL), number(DT_PLTRELSZ));
}

}  // namespace ovni
