// The executable mappings of this process, and which of them are counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "code/cache/owner.hpp"

namespace ovni::code {

struct MappedCode {
    uint64_t begin, end;
    Owner owner;
    bool is_counted;
    bool is_writable;  // the program may change it without a system call
    bool is_used;      // translated code was made of it
    uint32_t name;     // hash of the file's name and the offset in it
};

// Allocates nothing. Not for concurrent use.
class CodeMap {
 public:
    // Counts only code of files with these names, separated by commas; "exe" is the program. Empty: all
    // except our own libraries.
    void count_only(std::string_view names) noexcept { names_ = names; }
    // Null if there is no code, or if it was mapped after the last update.
    const MappedCode* find(uint64_t address) const noexcept;
    // False if the last update failed; then the map is unchanged.
    bool is_readable() const noexcept { return is_readable_; }
    void use(const MappedCode& code) noexcept { const_cast<MappedCode&>(code).is_used = true; }
    // Removes code that overlaps the range, whole; the next update looks again. Calls gone(begin, end) for
    // used code among it.
    template <class Gone>
    void forget(uint64_t begin, uint64_t end, Gone gone) noexcept {
        size_t kept = 0;
        for (size_t i = 0; i < count_; ++i) {
            const MappedCode code = all_[i];
            const bool is_hit = code.begin < end && begin < code.end;
            if (is_hit && code.is_used) gone(code.begin, code.end);
            if (!is_hit) all_[kept++] = code;
        }
        count_ = kept;
    }
    // Updates all. Calls gone(begin, end) for used code that no longer exists.
    template <class Gone>
    void refresh(Gone gone) noexcept {
        old_ = all_;
        old_count_ = count_;
        read();
        for (size_t i = 0; i < old_count_; ++i)
            if (old_[i].is_used && !holds(old_[i])) gone(old_[i].begin, old_[i].end);
    }

 private:
    static constexpr size_t most = 4096;
    using All = std::array<MappedCode, most>;

    bool holds(const MappedCode& old) noexcept;
    void read() noexcept;
    void read_line(std::string_view line) noexcept;
    bool is_wanted(std::string_view path) const noexcept;

    std::string_view names_;
    bool is_readable_ = true;
    All all_{}, old_{};
    size_t count_ = 0, old_count_ = 0;
};

}  // namespace ovni::code
