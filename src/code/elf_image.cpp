#include "code/elf_image.hpp"

#include <link.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>

#include "code/own_libraries.hpp"
#include "core/elf_file.hpp"

namespace ovni::code {

namespace {

// Returns false if there is no such table.
template <class See>
bool for_each_function_in(const ElfSymbols& symbols, See see) {
    for (size_t i = 0; i < symbols.size(); ++i) {
        const Elf64_Sym symbol = symbols[i];
        const int kind = ELF64_ST_TYPE(symbol.st_info);
        const bool is_function = (kind == STT_FUNC || kind == STT_GNU_IFUNC) &&
                                 symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0;
        if (const char* name = symbols.name_of(symbol); is_function && name)
            see(Function{name, symbol.st_value, kind == STT_GNU_IFUNC});
    }
    return symbols.size() > 0;
}

std::string debug_file_of(const std::string& build_id) {
    constexpr std::string_view digits = "0123456789abcdef";
    if (build_id.size() < 2) return {};
    std::string path = "/usr/lib/debug/.build-id/";
    for (size_t i = 0; i < build_id.size(); ++i) {
        const auto byte = static_cast<uint8_t>(build_id[i]);
        if (i == 1) path += '/';
        path += {digits[byte >> 4], digits[byte & 15]};
    }
    return path + ".debug";
}

void read_notes(ElfImage& image, const uint8_t* notes, size_t size) {
    constexpr auto round_up = [](size_t bytes) { return (bytes + 3) / 4 * 4; };
    for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= size;) {
        Elf64_Nhdr note{};
        memcpy(&note, notes + at, sizeof note);
        const size_t name = at + sizeof note, content = name + round_up(note.n_namesz);
        const size_t end = content + round_up(note.n_descsz);
        if (end > size) return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0)
            image.build_id.assign(reinterpret_cast<const char*>(notes + content), note.n_descsz);
        at = end;
    }
}

ElfImage image_of(const dl_phdr_info& info) {
    ElfImage image;
    image.bias = info.dlpi_addr;
    image.lowest = UINTPTR_MAX;
    for (size_t i = 0; i < info.dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = info.dlpi_phdr[i];
        const uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_LOAD) {
            image.lowest = std::min(image.lowest, begin & ~uintptr_t{4095});
            if ((segment.p_flags & PF_X) != 0) image.code.push_back({begin, begin + segment.p_filesz});
        }
        if (segment.p_type == PT_GNU_EH_FRAME) image.eh_frame = begin;
        if (segment.p_type == PT_NOTE)
            read_notes(image, reinterpret_cast<const uint8_t*>(begin), segment.p_filesz);
    }
    return image;
}

// /proc/self/exe may be the dynamic loader, which was asked to run the program.
std::string file_at(uintptr_t address) {
    std::string path;
    FILE* maps = ::fopen("/proc/self/maps", "re");
    if (maps == nullptr) return path;
    char line[PATH_MAX + 128];
    while (::fgets(line, sizeof line, maps) != nullptr) {
        uintptr_t begin = 0, end = 0;
        const char* name = strchr(line, '/');
        if (sscanf(line, "%zx-%zx", &begin, &end) != 2 || address < begin || end <= address ||
            name == nullptr)
            continue;
        path.assign(name, strcspn(name, "\n"));
        break;
    }
    ::fclose(maps);
    return path;
}

bool is_left_alone(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (is_own_library(name)) return true;
    for (const std::string_view begin : {"ld-linux", "linux-vdso", "linux-gate"})
        if (name.starts_with(begin)) return true;
    return false;
}

template <class Value>
Value value_at(uintptr_t address) {
    Value value{};
    memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    return value;
}

}  // namespace

bool ElfImage::holds(uintptr_t address) const {
    return std::ranges::any_of(code, [&](const CodeRange& range) { return range.holds(address); });
}

bool ElfImage::is_named(std::string_view name) const {
    return path == name || std::string_view(path).substr(path.rfind('/') + 1) == name;
}

bool ElfImage::is_c_library() const {
    return is_named("libc.so.6");
}

std::vector<ElfImage> loaded_images() {
    std::vector<ElfImage> images;
    auto add = [](dl_phdr_info* info, size_t, void* all) {
        auto& found = *static_cast<std::vector<ElfImage>*>(all);
        ElfImage image = image_of(*info);
        image.path = found.empty() ? file_at(image.lowest) : info->dlpi_name;
        found.push_back(std::move(image));
        return 0;
    };
    ::dl_iterate_phdr(add, &images);
    const auto others = images.empty() ? images.begin() : images.begin() + 1;
    images.erase(
        std::remove_if(others, images.end(),
                       [](const ElfImage& image) { return image.path.empty() || is_left_alone(image.path); }),
        images.end());
    return images;
}

void for_each_function(const ElfImage& image, const std::function<void(const Function&)>& see) {
    auto shift = [&](Function function) {
        function.address += image.bias;
        see(function);
    };
    const ElfFile own(image.path.c_str());
    if (for_each_function_in(own.symbols(SHT_SYMTAB), shift)) return;
    const ElfFile debug(debug_file_of(image.build_id).c_str());
    if (for_each_function_in(debug.symbols(SHT_SYMTAB), shift)) return;
    for_each_function_in(own.symbols(SHT_DYNSYM), shift);
}

// The table has one form in practice: 32-bit distances from its beginning, sorted by address.
std::vector<CodeRange> covered_code(const ElfImage& image) {
    constexpr uint32_t usual_form = 0x3b031b01;  // version 1, and the encodings of pointer, count and table
    constexpr size_t count_at = 8, table_at = 12, row_bytes = 8, length_in_entry = 12;
    std::vector<CodeRange> ranges;
    if (image.eh_frame == 0 || value_at<uint32_t>(image.eh_frame) != usual_form) return ranges;
    const auto count = value_at<uint32_t>(image.eh_frame + count_at);
    for (uint32_t i = 0; i < count; ++i) {
        const uintptr_t row = image.eh_frame + table_at + i * row_bytes;
        const uintptr_t begin = image.eh_frame + static_cast<uintptr_t>(intptr_t{value_at<int32_t>(row)});
        const uintptr_t entry = image.eh_frame + static_cast<uintptr_t>(intptr_t{value_at<int32_t>(row + 4)});
        const auto length = value_at<uint32_t>(entry + length_in_entry);
        const CodeRange range{begin, begin + length};
        if (image.holds(range.begin) && length > 0 && image.holds(range.end - 1)) ranges.push_back(range);
    }
    std::ranges::sort(ranges);
    return ranges;
}

}  // namespace ovni::code
