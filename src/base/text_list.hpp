// A list of short texts in one block of memory: each costs four bytes besides its text.
#pragma once

#include <boost/functional/hash.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace ovni {

class TextList {
 public:
    TextList() = default;
    TextList(std::initializer_list<std::string_view> texts) {
        for (std::string_view text : texts) push_back(text);
    }

    // Throws Error if the texts exceed 4 GiB.
    void push_back(std::string_view text) {
        if (bytes_.size() + text.size() > UINT32_MAX) throw Error("more than 4 GiB of names");
        bytes_ += text;
        ends_.push_back(static_cast<uint32_t>(bytes_.size()));
    }
    void shrink_to_fit() {
        bytes_.shrink_to_fit();
        ends_.shrink_to_fit();
    }

    size_t size() const { return ends_.size(); }
    // Valid until the list changes.
    std::string_view operator[](size_t i) const {
        const size_t begin = i == 0 ? 0 : ends_[i - 1];
        return std::string_view(bytes_).substr(begin, ends_[i] - begin);
    }
    auto all() const {
        return std::views::iota(size_t{0}, size()) |
               std::views::transform([this](size_t i) { return (*this)[i]; });
    }

    bool operator==(const TextList&) const = default;
    friend size_t hash_value(const TextList& texts) {
        size_t hash = texts.size();
        boost::hash_combine(hash, texts.bytes_);
        return hash;
    }

 private:
    std::string bytes_;
    std::vector<uint32_t> ends_;
};

}  // namespace ovni
