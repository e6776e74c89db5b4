// The number that the whole text represents; empty if it is no number, or out of range.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace ovni {

// `base`: of an integer, if it is not 10.
template <class Number, class... Base>
std::optional<Number> parse_number(std::string_view text, Base... base) {
    Number number{};
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number, base...);
    if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace ovni
