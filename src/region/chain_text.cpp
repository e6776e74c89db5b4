#include "region/chain_text.hpp"

#include <charconv>

namespace ovni::region {

namespace {

constexpr std::string_view en_dash = "\xe2\x80\x93";

bool is_blank(const Letter& letter) {
    return !letter.is_quoted && (letter.c == ' ' || letter.c == '\t' || letter.c == '\n' || letter.c == '\r');
}

Piece trimmed(Piece piece) {
    std::span<const Letter> letters = piece.letters;
    while (!letters.empty() && is_blank(letters.front())) letters = letters.subspan(1);
    while (!letters.empty() && is_blank(letters.back())) letters = letters.first(letters.size() - 1);
    return {letters, letters.empty() ? piece.offset : letters.front().offset};
}

std::string printable(std::string_view text) {
    std::string shown(text);
    for (char& c : shown)
        if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) c = '?';
    return shown;
}

}  // namespace

size_t Error::column() const noexcept {
    size_t column = 1;
    for (char c : std::string_view(text).substr(0, offset))
        if ((static_cast<uint8_t>(c) & 0xc0) != 0x80) ++column;
    return column;
}

std::string Error::message() const noexcept {
    if (text.empty()) return printable(what);
    return printable(what + ", at column " + std::to_string(column()) + " of '" + text + "'");
}

std::string Piece::text() const noexcept {
    std::string text;
    for (const Letter& letter : letters) text += letter.c;
    return text;
}

Piece Piece::from(size_t position) const noexcept {
    std::span<const Letter> rest = letters.subspan(position);
    size_t end = letters.empty() ? offset : letters.back().offset + 1;
    return {rest, rest.empty() ? end : rest.front().offset};
}

std::optional<size_t> Piece::find_last(char c) const noexcept {
    for (size_t i = letters.size(); i-- > 0;)
        if (letters[i].c == c && !letters[i].is_quoted) return i;
    return {};
}

Fault read_letters(std::string_view text, std::vector<Letter>& letters) noexcept {
    std::optional<size_t> quote;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\') {
            if (i + 1 == text.size()) return Error{"nothing after the backslash", std::string(text), i};
            letters.push_back({text[i + 1], true, i});
            ++i;
        } else if (text[i] == '"') {
            quote = quote ? std::optional<size_t>() : i;
        } else if (!quote && text.substr(i).starts_with(en_dash)) {
            letters.push_back({'-', false, i});
            i += en_dash.size() - 1;
        } else {
            letters.push_back({text[i], quote.has_value(), i});
        }
    }
    if (quote) return Error{"unterminated quote", std::string(text), *quote};
    return {};
}

std::vector<Piece> split(Piece piece, char separator) noexcept {
    std::vector<Piece> pieces;
    size_t begin = 0;
    for (size_t i = 0; i <= piece.letters.size(); ++i) {
        bool is_end = i == piece.letters.size();
        if (!is_end && (piece.letters[i].c != separator || piece.letters[i].is_quoted)) continue;
        pieces.push_back(trimmed(piece.until(i).from(begin)));
        begin = i + 1;
    }
    return pieces;
}

Number read_number(std::string_view text, uint64_t& value) noexcept {
    bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (is_hexadecimal) text.remove_prefix(2);
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, is_hexadecimal ? 16 : 10);
    if (error == std::errc::invalid_argument || end != text.data() + text.size()) return Number::none;
    return error == std::errc() ? Number::good : Number::too_large;
}

}  // namespace ovni::region
