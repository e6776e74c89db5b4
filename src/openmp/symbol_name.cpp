#include "openmp/symbol_name.hpp"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/elf_file.hpp"
#include "core/loaded_library.hpp"

namespace ovni::openmp {

namespace {

// A name lies in the file.
Symbol function_in(const ElfSymbols& symbols, uint64_t value) noexcept {
    for (size_t i = 0; i < symbols.size(); ++i)
        if (const Elf64_Sym symbol = symbols[i]; LoadedLibrary::covers(symbol, value))
            return {symbols.name_of(symbol), symbol.st_value};
    return {};
}

// The table of a file that was not stripped has local functions, too.
Symbol function_at(const ElfFile& file, uint64_t value) noexcept {
    const Symbol any = function_in(file.symbols(SHT_SYMTAB), value);
    return any.name ? any : function_in(file.symbols(SHT_DYNSYM), value);
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
    // A path may be relative to a directory that is no longer the current one, or name a file that was
    // replaced.
    const Symbol in_file = file.has_header(library.begin()) ? function_at(file, value) : Symbol();
    const Symbol function = in_file.name ? in_file : library.function_at(value);
    if (function.name) return write(function.name, at - library.base() - function.address, text, size);
    const char* shown = *library.path() ? file_name(library.path()) : "program";
    snprintf(text, size, "%s+0x%zx", shown, at - library.base());
}

}  // namespace ovni::openmp
