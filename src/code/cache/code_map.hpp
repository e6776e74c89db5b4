// The memory of this process that holds code, and what of it is counted.
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
    bool is_writable;  // the program may change it without a word
    bool is_used;      // translated code was made of it
    uint32_t name;     // a hash of the file's name and its place in it
};

// Allocates nothing. The callers take turns.
class CodeMap {
 public:
    // Only code of files with these names is counted, separated by commas; "exe" is the program. Empty: all
    // but our own libraries.
    void count_only(std::string_view names) noexcept { names_ = names; }
    // Null if no code lies there, or if it was mapped after the last look.
    const MappedCode* find(uint64_t address) const noexcept;
    // False if the system did not let us look the last time; then all is as it was before.
    bool is_readable() const noexcept { return is_readable_; }
    void use(const MappedCode& code) noexcept { const_cast<MappedCode&>(code).is_used = true; }
    // The range is looked up again. Calls gone(begin, end) for code that lies in it in part, and was used.
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
    // Looks all up again. Calls gone(begin, end) for code that was used, and is not there any more.
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
