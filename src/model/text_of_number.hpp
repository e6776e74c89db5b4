// Jumbo events that give a number a text: u32 number, text, 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "base/error.hpp"

namespace ovni {

struct TextOfNumber {
    uint32_t number = 0;
    std::string text;
};

// `data`: that of the event, without its size. Throws Error if it is too short or has no end.
inline TextOfNumber text_of_number(std::span<const uint8_t> data) {
    TextOfNumber of;
    if (data.size() <= sizeof of.number) throw Error("the text of a number is too short");
    std::memcpy(&of.number, data.data(), sizeof of.number);
    const std::span<const uint8_t> text = data.subspan(sizeof of.number);
    const auto end = std::ranges::find(text, uint8_t{0});
    if (end == text.end()) throw Error("the text of a number has no end");
    of.text.assign(text.begin(), end);
    return of;
}

}  // namespace ovni
