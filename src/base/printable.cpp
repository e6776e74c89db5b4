#include "base/printable.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

#include "base/utf8.hpp"

namespace ovni {

namespace {

// The bytes of the control character that the text begins with; 0 if it begins with another one. Those from
// U+0080 to U+009F have two.
size_t control_character(std::string_view text) {
    auto first = static_cast<uint8_t>(text[0]);
    if (first < 0x20 || first == 0x7f) return first == '\t' ? 0 : 1;
    bool is_second_kind = first == 0xc2 && text.size() > 1 && static_cast<uint8_t>(text[1]) >= 0x80 &&
                          static_cast<uint8_t>(text[1]) < 0xa0;
    return is_second_kind ? 2 : 0;
}

// Calls `replace` with each control character.
template <class Replace>
std::string replaced(std::string_view text, Replace replace) {
    std::string result;
    while (!text.empty()) {
        size_t bytes = control_character(text);
        if (bytes == 0)
            result += text[0];
        else
            replace(result, text.substr(0, bytes), text.substr(bytes));
        text.remove_prefix(bytes == 0 ? 1 : bytes);
    }
    return result;
}

}  // namespace

std::string one_line(std::string_view text) {
    return replaced(valid_utf8(text),
                    [](std::string& result, std::string_view, std::string_view) { result += ' '; });
}

std::string message_text(std::string_view text) {
    constexpr std::string_view indent = "    ";
    return replaced(text, [&](std::string& result, std::string_view character, std::string_view rest) {
        if (character == "\n") {
            result += '\n';
            if (!rest.empty() && rest[0] != ' ') result += indent;
            return;
        }
        for (char byte : character)
            fmt::format_to(std::back_inserter(result), "\\x{:02x}", static_cast<uint8_t>(byte));
    });
}

}  // namespace ovni
