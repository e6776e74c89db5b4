// Short texts that are copied very often: kept in whole pieces of 16 bytes, so that copying one is a few
// stores. The destination needs room for a piece more than the text has.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

namespace ovni {

class PaddedText {
 public:
    static constexpr size_t piece = 16;

    PaddedText() = default;
    explicit PaddedText(std::string_view text) : bytes_(text), size_(text.size()) {
        bytes_.resize((size_ + piece - 1) / piece * piece);
    }
    size_t size() const { return size_; }
    // Returns the end of the text.
    char* copy_to(char* out) const {
        const char* from = bytes_.data();
        for (size_t at = 0; at < size_; at += piece) std::memcpy(out + at, from + at, piece);
        return out + size_;
    }

 private:
    std::string bytes_;
    size_t size_ = 0;
};

}  // namespace ovni
