// The file and the address in it of code that is loaded into the process, for traces: readers find functions
// and lines there. Nothing here allocates, and no lock is held while code of the program runs.
#pragma once

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>

namespace ovni {

// A loaded file with code.
struct CodeFile {
    static constexpr size_t longest_build_id = 32;
    uintptr_t base = 0;                             // the loaded address minus the address in the file
    char build_id[2 * longest_build_id + 1] = "-";  // hexadecimal digits; "-": it has none
    const char* name = "";                          // as the loader has it; empty for the program
};

namespace detail {

inline void write_build_id(CodeFile& file, std::span<const uint8_t> bytes) noexcept {
    char* to = file.build_id;
    for (uint8_t byte : bytes.first(std::min(bytes.size(), CodeFile::longest_build_id)))
        to += snprintf(to, 3, "%02x", byte);
}

// Notes are a header, a name and a description, each padded to 4 bytes.
inline void find_build_id(CodeFile& file, std::span<const uint8_t> notes) noexcept {
    auto padded = [](size_t size) { return (size + 3) & ~size_t{3}; };
    while (notes.size() >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, notes.data(), sizeof note);
        size_t name_at = sizeof note, text_at = name_at + padded(note.n_namesz);
        size_t end = text_at + padded(note.n_descsz);
        if (text_at > notes.size() || note.n_descsz > notes.size() - text_at) return;
        bool is_gnu = note.n_namesz == sizeof "GNU" && memcmp(&notes[name_at], "GNU", sizeof "GNU") == 0;
        if (is_gnu && note.n_type == NT_GNU_BUILD_ID)
            return write_build_id(file, notes.subspan(text_at, note.n_descsz));
        notes = notes.subspan(std::min(end, notes.size()));
    }
}

inline bool has_code_at(const dl_phdr_info& info, uintptr_t address) noexcept {
    const uintptr_t offset = address - info.dlpi_addr;
    return std::ranges::any_of(std::span(info.dlpi_phdr, info.dlpi_phnum), [&](const ElfW(Phdr) & segment) {
        return segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 &&
               offset - segment.p_vaddr < segment.p_memsz;
    });
}

inline CodeFile code_file_of(const dl_phdr_info& info) noexcept {
    CodeFile file;
    file.base = info.dlpi_addr;
    file.name = info.dlpi_name;
    for (const ElfW(Phdr) & segment : std::span(info.dlpi_phdr, info.dlpi_phnum))
        if (segment.p_type == PT_NOTE && file.build_id[0] == '-')
            find_build_id(
                file, {reinterpret_cast<const uint8_t*>(info.dlpi_addr + segment.p_vaddr), segment.p_memsz});
    return file;
}

}  // namespace detail

// Calls take(const CodeFile&) for the file that has code at the address. False if there is none. A lock of
// the loader is held meanwhile, so the file stays loaded.
template <class Take>
bool with_code_file(uintptr_t address, Take take) noexcept {
    struct Search {
        uintptr_t address;
        Take& take;
    } search{address, take};
    const auto look = [](dl_phdr_info* info, size_t, void* argument) {
        auto& of = *static_cast<Search*>(argument);
        if (!detail::has_code_at(*info, of.address)) return 0;
        of.take(detail::code_file_of(*info));
        return 1;
    };
    return dl_iterate_phdr(look, &search) != 0;
}

inline constexpr size_t longest_code_place = 511;

// The file of loaded code that begins at `begin` with its ELF header. `base`, `name`: as the loader has them.
inline CodeFile code_file_at(const void* begin, uintptr_t base, const char* name) noexcept {
    const auto* header = static_cast<const ElfW(Ehdr)*>(begin);
    dl_phdr_info info{};
    info.dlpi_addr = base;
    info.dlpi_name = name;
    info.dlpi_phdr =
        reinterpret_cast<const ElfW(Phdr)*>(static_cast<const uint8_t*>(begin) + header->e_phoff);
    info.dlpi_phnum = header->e_phnum;
    return detail::code_file_of(info);
}

// Writes "BUILD_ID ADDRESS PATH", both numbers in hexadecimal digits, and a zero. The byte before the address
// counts: a call at the end of a function returns to what follows it. Returns the length; 0 if the text would
// be longer than longest_code_place.
inline size_t write_code_place(const CodeFile& file, const void* return_address,
                               char (&text)[longest_code_place + 1]) noexcept {
    const auto address = reinterpret_cast<uintptr_t>(return_address);
    const int begin = snprintf(text, sizeof text, "%s %zx %s", file.build_id,
                               static_cast<size_t>(address - file.base), file.name);
    size_t length = begin < 0 ? sizeof text : static_cast<size_t>(begin);
    if (file.name[0] == '\0' && length < sizeof text) {
        const ssize_t path = readlink("/proc/self/exe", text + length, sizeof text - length);
        length = path <= 0 ? sizeof text : length + static_cast<size_t>(path);
    }
    if (length >= sizeof text) length = 0;
    text[length] = '\0';
    return length;
}
// Finds the file, too. Returns 0 also if no file has code there. Takes a lock of the loader.
inline size_t write_code_place(const void* return_address, char (&text)[longest_code_place + 1]) noexcept {
    size_t length = 0;
    text[0] = '\0';
    with_code_file(reinterpret_cast<uintptr_t>(return_address) - 1,
                   [&](const CodeFile& file) { length = write_code_place(file, return_address, text); });
    return length;
}

}  // namespace ovni
