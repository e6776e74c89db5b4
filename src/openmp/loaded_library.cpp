#include "openmp/loaded_library.hpp"

#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <cstring>

namespace ovni::openmp {

namespace {

using Dynamic = ElfW(Dyn);
using ElfSymbol = ElfW(Sym);

bool is_function(const ElfSymbol& symbol) {
    return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF;
}

// The table that most libraries have: symbols are found by a hash of their names, from `first` on.
class GnuHash {
 public:
    explicit GnuHash(const uint32_t* words) noexcept
        : buckets_(words[0]),
          first_(words[1]),
          filter_words_(words[2]),
          shift_(words[3]),
          filter_(reinterpret_cast<const uint64_t*>(words + 4)),
          bucket_(words + 4 + 2 * size_t{filter_words_}),
          chain_(bucket_ + buckets_) {}

    // Calls visit(index) for symbols that may have the name, until it says false.
    template <class Visit>
    void find(const char* name, Visit visit) const noexcept {
        const uint32_t hash = hash_of(name);
        constexpr uint32_t bits = 64;
        if (buckets_ == 0 || filter_words_ == 0) return;
        const uint64_t word = filter_[hash / bits % filter_words_];
        if ((word >> hash % bits & word >> (hash >> shift_) % bits & 1) == 0) return;
        const uint32_t begin = bucket_[hash % buckets_];
        if (begin < first_) return;
        for (uint32_t at = begin;; ++at) {
            const uint32_t found = chain_[at - first_];
            if ((found | 1) == (hash | 1) && !visit(at)) return;
            if (found & 1) return;
        }
    }
    // The number of symbols, those without a hash among them.
    uint32_t size() const noexcept {
        uint32_t last = 0;
        for (uint32_t i = 0; i < buckets_; ++i) last = std::max(last, bucket_[i]);
        if (last < first_) return first_;
        while ((chain_[last - first_] & 1) == 0) ++last;
        return last + 1;
    }

 private:
    static uint32_t hash_of(const char* name) noexcept {
        uint32_t hash = 5381;
        for (; *name; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
        return hash;
    }
    uint32_t buckets_, first_, filter_words_, shift_;
    const uint64_t* filter_;
    const uint32_t *bucket_, *chain_;
};

#ifdef DLFO_STRUCT_HAS_EH_DBASE

LoadedLibrary library_at(const void* address) noexcept {
    dl_find_object found{};
    if (_dl_find_object(const_cast<void*>(address), &found) != 0) return {};
    const link_map& map = *found.dlfo_link_map;
    return {map.l_addr, map.l_ld, map.l_name ? map.l_name : "", found.dlfo_map_start};
}

#else

bool covers(const dl_phdr_info& info, uintptr_t address) noexcept {
    return std::any_of(info.dlpi_phdr, info.dlpi_phdr + info.dlpi_phnum, [&](const auto& part) {
        return part.p_type == PT_LOAD && address - info.dlpi_addr - part.p_vaddr < part.p_memsz;
    });
}

#endif

}  // namespace

bool covers(const ElfSymbol& symbol, uint64_t address) noexcept {
    return is_function(symbol) && symbol.st_value <= address && address - symbol.st_value < symbol.st_size;
}

LoadedLibrary::LoadedLibrary(const dl_phdr_info& info) noexcept
    : base_(info.dlpi_addr), path_(info.dlpi_name ? info.dlpi_name : "") {
    for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
        const auto& part = info.dlpi_phdr[i];
        const uintptr_t at = info.dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_DYNAMIC) dynamic_ = reinterpret_cast<const Dynamic*>(at);
        if (part.p_type == PT_LOAD && part.p_offset == 0) begin_ = reinterpret_cast<const void*>(at);
    }
}

LoadedLibrary LoadedLibrary::at(const void* address) noexcept {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
    return library_at(address);
#else
    struct Search {
        uintptr_t address;
        LoadedLibrary found;
    } search{reinterpret_cast<uintptr_t>(address), {}};
    auto see = [](dl_phdr_info* info, size_t, void* what) {
        auto& wanted = *static_cast<Search*>(what);
        if (!covers(*info, wanted.address)) return 0;
        wanted.found = LoadedLibrary(*info);
        return 1;
    };
    dl_iterate_phdr(see, &search);
    return search.found;
#endif
}

size_t LoadedLibrary::size() const noexcept {
    const auto* header = static_cast<const ElfW(Ehdr)*>(begin_);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return 0;
    const auto* parts =
        reinterpret_cast<const ElfW(Phdr)*>(static_cast<const char*>(begin_) + header->e_phoff);
    uintptr_t end = 0;
    for (unsigned i = 0; i < header->e_phnum; ++i)
        if (parts[i].p_type == PT_LOAD) end = std::max(end, parts[i].p_vaddr + parts[i].p_memsz);
    const uintptr_t begin = reinterpret_cast<uintptr_t>(begin_) - base_;
    return end > begin ? end - begin : 0;
}

bool LoadedLibrary::is_ours() const noexcept {
    return dynamic_ == ::_DYNAMIC;  // from the linker: our own
}

// The loader writes addresses into the section, unless it is read only.
template <class Row>
const Row* LoadedLibrary::table(int64_t tag) const noexcept {
    for (const Dynamic* row = dynamic_; row && row->d_tag != DT_NULL; ++row) {
        if (row->d_tag != tag) continue;
        const uintptr_t address = row->d_un.d_ptr;
        return reinterpret_cast<const Row*>(address < base_ ? base_ + address : address);
    }
    return nullptr;
}

void* LoadedLibrary::function(const char* name) const noexcept {
    const auto* symbols = table<ElfSymbol>(DT_SYMTAB);
    const auto* names = table<char>(DT_STRTAB);
    const auto* versions = table<uint16_t>(DT_VERSYM);
    constexpr uint16_t is_old = 0x8000;
    void* function = nullptr;
    auto visit = [&](uint32_t i) {
        if (!is_function(symbols[i]) || (versions && (versions[i] & is_old) != 0)) return true;
        if (strcmp(names + symbols[i].st_name, name) != 0) return true;
        function = reinterpret_cast<void*>(base_ + symbols[i].st_value);
        return false;
    };
    if (!symbols || !names) return nullptr;
    if (const auto* hash = table<uint32_t>(DT_GNU_HASH))
        GnuHash(hash).find(name, visit);
    else if (const auto* plain = table<uint32_t>(DT_HASH))
        for (uint32_t i = 0; i < plain[1] && visit(i);) ++i;
    return function;
}

Symbol LoadedLibrary::function_at(uint64_t address) const noexcept {
    const auto* symbols = table<ElfSymbol>(DT_SYMTAB);
    const auto* names = table<char>(DT_STRTAB);
    const auto* hash = table<uint32_t>(DT_GNU_HASH);
    const auto* plain = table<uint32_t>(DT_HASH);
    if (!symbols || !names || (!hash && !plain)) return {};
    const uint32_t size = hash ? GnuHash(hash).size() : plain[1];
    const auto* found =
        std::find_if(symbols, symbols + size, [&](const ElfSymbol& one) { return covers(one, address); });
    if (found == symbols + size) return {};
    return {names + found->st_name, found->st_value};
}

const char* LoadedLibrary::own_name() const noexcept {
    const auto* names = table<char>(DT_STRTAB);
    for (const Dynamic* row = dynamic_; names && row->d_tag != DT_NULL; ++row)
        if (row->d_tag == DT_SONAME) return names + row->d_un.d_val;
    return nullptr;
}

bool LoadedLibrary::needs(const LoadedLibrary& other) const noexcept {
    const auto* names = table<char>(DT_STRTAB);
    const char* own = other.own_name();
    const char* slash = strrchr(other.path(), '/');
    const char* file = slash ? slash + 1 : other.path();
    for (const Dynamic* row = dynamic_; names && row->d_tag != DT_NULL; ++row) {
        if (row->d_tag != DT_NEEDED) continue;
        const char* needed = names + row->d_un.d_val;
        if ((own && strcmp(needed, own) == 0) || strcmp(needed, file) == 0 ||
            strcmp(needed, other.path()) == 0)
            return true;
    }
    return false;
}

}  // namespace ovni::openmp
