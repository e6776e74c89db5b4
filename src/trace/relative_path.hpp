// The path of a stream in its trace, compact: it mostly ends with the number of a thread, and what is before
// that is kept once for all streams that begin with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include "base/interned.hpp"

namespace ovni {

class RelativePath {
 public:
    RelativePath() = default;  // empty
    RelativePath(std::string_view path) {
        const size_t begin = begin_of_number(path);
        begin_ = std::string(path.substr(0, begin));
        if (begin < path.size()) number_ = std::stoi(std::string(path.substr(begin)));
    }
    RelativePath(const std::string& path) : RelativePath(std::string_view(path)) {}
    RelativePath(const char* path) : RelativePath(std::string_view(path)) {}

    std::string text() const { return number_ == none ? *begin_ : *begin_ + std::to_string(number_); }
    bool empty() const { return number_ == none && begin_->empty(); }
    bool operator==(const RelativePath&) const = default;
    // For wire.hpp.
    friend auto fields(RelativePath& path) { return std::tie(path.begin_, path.number_); }

 private:
    static constexpr int32_t none = -1;

    // So that the number fits into 32 bits, and is written without zeros before it.
    static size_t begin_of_number(std::string_view path) {
        constexpr size_t most_digits = 9;
        const size_t after_others = path.find_last_not_of("0123456789") + 1;
        const size_t begin = std::max(after_others, path.size() - std::min(path.size(), most_digits));
        return std::min(path.find_first_not_of('0', begin), path.size());
    }

    Interned<std::string> begin_;
    int32_t number_ = none;
};

}  // namespace ovni
