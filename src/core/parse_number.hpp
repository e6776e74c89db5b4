// The number that a text is, as a whole; nothing if it is none, or out of range.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace ovni {

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    Number number{};
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

template <std::integral Number>
std::optional<Number> parse_number(std::string_view text, int base) {
    Number number{};
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace ovni
