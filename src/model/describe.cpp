#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/error.hpp"
#include "model/definition.hpp"
#include "ovni/format.h"

namespace ovni {

namespace {

constexpr size_t longest_text = 1022;

bool is_signed(ArgumentType type) {
    return type >= ArgumentType::i8 && type <= ArgumentType::i64;
}

// Prints by the conversion of a checked format, with another length in place of its own.
template <class Number>
void print_number(std::string& text, std::string_view format, const char* length, char conversion,
                  Number value) {
    constexpr size_t room = 1024;
    std::string full = "%";
    for (char c : format.substr(0, format.empty() ? 0 : format.size() - 1))
        if (std::strchr("hljzt", c) == nullptr) full += c;
    full += std::string(length) + conversion;
    char buffer[room];
    int n = std::snprintf(buffer, room, full.c_str(), value);
    text.append(buffer, static_cast<size_t>(std::clamp<int>(n, 0, room - 1)));
}

// The argument has the width of its type; its sign is that of the conversion, as in printf.
void print_integer(std::string& text, std::string_view format, const uint8_t* bytes, ArgumentType type) {
    char conversion = format.empty() ? (is_signed(type) ? 'd' : 'u') : format.back();
    uint64_t value = 0;
    std::memcpy(&value, bytes, bytes_of(type));
    unsigned unused_bits = 8 * static_cast<unsigned>(sizeof value - bytes_of(type));
    bool with_sign = conversion == 'd' || conversion == 'i';
    if (with_sign) value = static_cast<uint64_t>(static_cast<int64_t>(value << unused_bits) >> unused_bits);
    print_number(text, format, "ll", conversion, value);
}

template <class Float>
void print_float(std::string& text, std::string_view format, const uint8_t* bytes) {
    Float value = 0;
    std::memcpy(&value, bytes, sizeof value);
    if (format.empty())
        text += fmt::format("{}", value);
    else
        print_number(text, format, "", format.back(), static_cast<double>(value));
}

void print_text(std::string& text, std::string_view format, std::string_view value) {
    constexpr size_t room = longest_text + 2;
    std::string copy(value.substr(0, longest_text));
    std::string full = "%" + std::string(format.empty() ? "s" : format);
    char buffer[room];
    int n = std::snprintf(buffer, room, full.c_str(), copy.c_str());
    text.append(buffer, static_cast<size_t>(std::clamp<int>(n, 0, room - 1)));
}

void print_name(std::string& text, const uint8_t* bytes, ArgumentType type, NameOf* name_of) {
    uint64_t number = 0;
    std::memcpy(&number, bytes, bytes_of(type));
    std::string_view name = name_of ? name_of(number) : std::string_view();
    if (name.empty() && is_signed(type)) return print_integer(text, "", bytes, type);
    text += name.empty() ? fmt::format("unknown {}", number) : std::string(name);
}

// The width stays; the conversion becomes that of a text.
void print_as_text(std::string& text, std::string_view format, std::string_view value) {
    std::string width(format.substr(0, format.empty() ? 0 : format.size() - 1));
    print_text(text, width + 's', value);
}

void print_character(std::string& text, std::string_view format, uint8_t byte) {
    bool is_printable = byte >= ' ' && byte <= '~';
    print_as_text(text, format,
                  is_printable ? std::string(1, static_cast<char>(byte)) : fmt::format("\\x{:02x}", byte));
}

void print_address(std::string& text, std::string_view format, const uint8_t* bytes) {
    uint64_t address = 0;
    std::memcpy(&address, bytes, sizeof address);
    print_as_text(text, format, fmt::format("{:#x}", address));
}

void print_value(std::string& text, std::string_view format, const uint8_t* bytes, ArgumentType type) {
    using enum ArgumentType;
    char conversion = format.empty() ? '\0' : format.back();
    if (type == f32) return print_float<float>(text, format, bytes);
    if (type == f64) return print_float<double>(text, format, bytes);
    if (conversion == 'c' || (type == character && format.empty()))
        return print_character(text, format, *bytes);
    if (conversion == 'p' || (type == pointer && format.empty())) return print_address(text, format, bytes);
    print_integer(text, format, bytes, type);
}

void print_argument(std::string& text, const DescriptionPiece& piece, std::span<const uint8_t> arguments,
                    NameOf* name_of) {
    const Argument& argument = *piece.argument;
    if (argument.offset + bytes_of(argument.type) > arguments.size() ||
        (argument.type == ArgumentType::str && argument.offset >= arguments.size())) {
        text += "<missing>";
        return;
    }
    const uint8_t* at = arguments.data() + argument.offset;
    if (argument.type != ArgumentType::str && piece.format == "@")
        return print_name(text, at, argument.type, name_of);
    if (argument.type != ArgumentType::str) return print_value(text, piece.format, at, argument.type);
    std::span<const uint8_t> bytes = arguments.subspan(argument.offset);
    auto end = std::find(bytes.begin(), bytes.end(), uint8_t{0});
    print_text(text, piece.format,
               {reinterpret_cast<const char*>(at), static_cast<size_t>(end - bytes.begin())});
    if (end == bytes.end()) text += "<no end>";
}

}  // namespace

std::string describe(std::string_view description, const Signature& signature,
                     std::span<const uint8_t> payload, NameOf* name_of) {
    size_t skip = signature.jumbo ? OVNI_FORMAT_JUMBO_SIZE : 0;
    std::span<const uint8_t> arguments = payload.subspan(std::min(skip, payload.size()));
    std::string text;
    while (!description.empty() && text.size() < longest_text) {
        DescriptionPiece piece = next_piece(description, signature);
        if (piece.fault) throw Error(fmt::format("event description: {}", piece.fault));
        text += piece.text;
        if (piece.argument) print_argument(text, piece, arguments, name_of);
    }
    text.resize(std::min(text.size(), longest_text));
    return text;
}

}  // namespace ovni
