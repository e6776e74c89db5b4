#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ovni {

namespace {

// First bytes of characters, with the length of the character and its possible second bytes. Other second
// bytes would make it longer than needed, a surrogate, or greater than U+10FFFF. Further bytes are 80 to BF.
struct Lead {
    uint8_t first, last;
    size_t length;
    uint8_t second_first = 0x80, second_last = 0xbf;
};
constexpr std::array leads = {
    Lead{0x00, 0x7f, 1},
    Lead{0xc2, 0xdf, 2},
    Lead{0xe0, 0xe0, 3, 0xa0, 0xbf},
    Lead{0xe1, 0xec, 3},
    Lead{0xed, 0xed, 3, 0x80, 0x9f},
    Lead{0xee, 0xef, 3},
    Lead{0xf0, 0xf0, 4, 0x90, 0xbf},
    Lead{0xf1, 0xf3, 4},
    Lead{0xf4, 0xf4, 4, 0x80, 0x8f},
};

struct Piece {
    size_t bytes;
    bool is_character;
};

// The first piece of the text.
Piece next_piece(std::string_view text) {
    auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
    const auto* lead =
        std::ranges::find_if(leads, [&](const Lead& l) { return byte(0) >= l.first && byte(0) <= l.last; });
    if (lead == leads.end()) return {1, false};
    size_t bytes = 1;
    for (; bytes < std::min(lead->length, text.size()); ++bytes) {
        uint8_t first = bytes == 1 ? lead->second_first : 0x80;
        uint8_t last = bytes == 1 ? lead->second_last : 0xbf;
        if (byte(bytes) < first || byte(bytes) > last) break;
    }
    return {bytes, bytes == lead->length};
}

}  // namespace

std::string valid_utf8(std::string_view text) {
    constexpr std::string_view replacement = "\xef\xbf\xbd";
    std::string valid;
    while (!text.empty()) {
        Piece piece = next_piece(text);
        valid += piece.is_character ? text.substr(0, piece.bytes) : replacement;
        text.remove_prefix(piece.bytes);
    }
    return valid;
}

}  // namespace ovni
