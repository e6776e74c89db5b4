#include "code/elf_image.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <span>

#include "code/own_libraries.hpp"

namespace ovni::code {

namespace {

using Bytes = std::span<const uint8_t>;

// A file in memory, read only. Empty if it cannot be read.
class MappedFile {
 public:
    explicit MappedFile(const char* path) {
        const int file = ::open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) return;
        struct stat what {};
        if (::fstat(file, &what) == 0 && S_ISREG(what.st_mode) && what.st_size > 0) {
            const auto size = static_cast<size_t>(what.st_size);
            void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
            if (mapped != MAP_FAILED) bytes_ = {static_cast<const uint8_t*>(mapped), size};
        }
        ::close(file);
    }
    ~MappedFile() {
        if (!bytes_.empty()) ::munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
    }
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    Bytes bytes() const { return bytes_; }

 private:
    Bytes bytes_;
};

// Nothing lies outside of the file, whatever its headers say.
Bytes part(Bytes file, uint64_t offset, uint64_t size) {
    if (offset > file.size() || size > file.size() - offset) return {};
    return file.subspan(offset, size);
}

template <class Row>
Row row_at(Bytes table, size_t number) {
    Row row{};
    const Bytes bytes = part(table, number * sizeof(Row), sizeof(Row));
    if (!bytes.empty()) memcpy(&row, bytes.data(), sizeof(Row));
    return row;
}

class ElfFile {
 public:
    explicit ElfFile(Bytes file) : file_(file), header_(row_at<Elf64_Ehdr>(file, 0)) {
        const bool is_elf =
            memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 && header_.e_ident[EI_CLASS] == ELFCLASS64;
        if (is_elf) sections_ = part(file, header_.e_shoff, uint64_t{header_.e_shnum} * sizeof(Elf64_Shdr));
    }
    // Returns false if there is no such table.
    template <class See>
    bool for_each_function(uint32_t type, See see) const {
        bool is_there = false;
        for (size_t i = 0; i < sections_.size() / sizeof(Elf64_Shdr); ++i) {
            const auto section = row_at<Elf64_Shdr>(sections_, i);
            if (section.sh_type != type) continue;
            const Bytes symbols = part(file_, section.sh_offset, section.sh_size);
            const Bytes names = names_of(section);
            is_there = is_there || !symbols.empty();
            for (size_t k = 0; k < symbols.size() / sizeof(Elf64_Sym); ++k) {
                const auto symbol = row_at<Elf64_Sym>(symbols, k);
                const int kind = ELF64_ST_TYPE(symbol.st_info);
                const bool is_function = (kind == STT_FUNC || kind == STT_GNU_IFUNC) &&
                                         symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0;
                if (is_function && symbol.st_name < names.size())
                    see(Function{reinterpret_cast<const char*>(&names[symbol.st_name]), symbol.st_value,
                                 kind == STT_GNU_IFUNC});
            }
        }
        return is_there;
    }

 private:
    // Empty unless it ends with a zero.
    Bytes names_of(const Elf64_Shdr& symbols) const {
        const auto section = row_at<Elf64_Shdr>(sections_, symbols.sh_link);
        const Bytes names = part(file_, section.sh_offset, section.sh_size);
        return names.empty() || names.back() != 0 ? Bytes() : names;
    }

    Bytes file_;
    Elf64_Ehdr header_;
    Bytes sections_;
};

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
    const MappedFile file(image.path.c_str());
    const ElfFile own(file.bytes());
    if (own.for_each_function(SHT_SYMTAB, shift)) return;
    const MappedFile debug(debug_file_of(image.build_id).c_str());
    if (ElfFile(debug.bytes()).for_each_function(SHT_SYMTAB, shift)) return;
    own.for_each_function(SHT_DYNSYM, shift);
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
