// The seeds of a target, as files of one tar archive (ustar), which scripts/fuzz writes: a directory of
// hundreds of small files is slow to check out.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"

namespace ovni::fuzz {

struct Seed {
    std::string name;
    std::string content;
};

// A header of 512 bytes comes before each file, which is filled up to 512 bytes; one without a name ends all.
inline std::vector<Seed> seeds_in(const std::string& archive) {
    constexpr size_t block = 512, name_end = 100, size_at = 124, size_digits = 11, magic_at = 257;
    const std::string bytes = read_file(archive);
    const std::string_view all = bytes;
    std::vector<Seed> seeds;
    for (size_t at = 0;;) {
        if (all.size() - at < block) throw Error("the archive has no end", archive, at);
        const std::string_view header = all.substr(at, block);
        if (header[0] == '\0') return seeds;
        size_t size = 0;
        const char* digits = header.data() + size_at;
        const auto [end, error] = std::from_chars(digits, digits + size_digits, size, 8);
        if (header.substr(magic_at, 5) != "ustar" || error != std::errc() || end != digits + size_digits)
            throw Error("no header of a file", archive, at);
        at += block;
        const size_t filled = (size + block - 1) / block * block;
        if (all.size() - at < filled) throw Error("the archive ends amid a file", archive, at);
        const std::string_view name = header.substr(0, name_end);
        seeds.push_back({std::string(name.substr(0, name.find('\0'))), std::string(all.substr(at, size))});
        at += filled;
    }
}

}  // namespace ovni::fuzz
