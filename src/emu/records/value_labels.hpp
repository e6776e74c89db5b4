// The labels of an event type's values, in the order in which they were defined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/interned.hpp"
#include "base/text_list.hpp"

namespace ovni {

class ValueLabels {
 public:
    using Label = std::pair<int64_t, std::string>;

    ValueLabels() = default;
    ValueLabels(std::initializer_list<Label> labels) : others_(labels) {}
    ValueLabels(std::vector<Label> labels) : others_(std::move(labels)) {}
    // The labels of the values from 1, from a list that others have as well.
    explicit ValueLabels(const Interned<TextList>& from_1) : from_1_(from_1) {}

    void emplace_back(int64_t value, std::string_view label) { others_.emplace_back(value, label); }

    size_t size() const { return from_1_->size() + others_.size(); }
    bool empty() const { return size() == 0; }
    // The label is valid until the list changes.
    std::pair<int64_t, std::string_view> operator[](size_t i) const {
        if (i < from_1_->size()) return {static_cast<int64_t>(i + 1), (*from_1_)[i]};
        return others_[i - from_1_->size()];
    }
    // The label of a value; missing if it has none.
    std::optional<std::string_view> find(int64_t value) const {
        if (value >= 1 && static_cast<uint64_t>(value) <= from_1_->size())
            return (*from_1_)[static_cast<size_t>(value - 1)];
        for (const auto& [known, label] : others_)
            if (known == value) return label;
        return std::nullopt;
    }
    auto all() const {
        return std::views::iota(size_t{0}, size()) |
               std::views::transform([this](size_t i) { return (*this)[i]; });
    }

 private:
    Interned<TextList> from_1_;
    std::vector<Label> others_;
};

}  // namespace ovni
