// The constexpr parser of definition.hpp, which includes it.
#pragma once

#include "model/definition.hpp"

namespace ovni {

namespace definition {

constexpr bool is_printable(char c) {
    return c > ' ' && c <= '~';
}
constexpr bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Cuts spaces, a fixed text, or a name from the front of what is left.
struct Scanner {
    std::string_view left;

    constexpr void spaces() {
        while (left.starts_with(' ')) left.remove_prefix(1);
    }
    constexpr bool take(char c) {
        if (!left.starts_with(c)) return false;
        left.remove_prefix(1);
        return true;
    }
    constexpr bool take_any(std::string_view set) {
        if (left.empty() || set.find(left.front()) == set.npos) return false;
        left.remove_prefix(1);
        return true;
    }
    constexpr std::string_view name() {
        size_t size = 0;
        while (size < left.size() && is_name(left[size])) ++size;
        std::string_view found = left.substr(0, size);
        left.remove_prefix(size);
        return found;
    }
    constexpr size_t digits() {
        size_t count = 0;
        for (; !left.empty() && left.front() >= '0' && left.front() <= '9'; ++count) left.remove_prefix(1);
        return count;
    }
};

constexpr const char* parse_argument(Scanner& scanner, Signature& signature) {
    if (signature.count == Signature::most_arguments) return "more than 16 arguments";
    scanner.spaces();
    std::string_view type = scanner.name();
    size_t number = 0;
    while (number < std::size(argument_type_names) && argument_type_names[number] != type) ++number;
    if (number == std::size(argument_type_names)) return "unknown type of an argument";
    scanner.spaces();
    Argument argument{static_cast<ArgumentType>(number), scanner.name(),
                      static_cast<uint8_t>(signature.fixed_bytes())};
    if (argument.name.empty()) return "an argument without a name";
    if (signature.find(argument.name)) return "two arguments of one name";
    if (signature.count > 0 && signature.all[signature.count - 1].type == ArgumentType::str)
        return "an argument behind a str";
    signature.all[signature.count++] = argument;
    scanner.spaces();
    return nullptr;
}

constexpr const char* parse_arguments(Scanner& scanner, Signature& signature) {
    if (!scanner.take('(')) return scanner.left.empty() ? nullptr : "something else than '(' behind the code";
    do {
        if (const char* fault = parse_argument(scanner, signature)) return fault;
    } while (scanner.take(','));
    if (!scanner.take(')')) return "no ')' behind the arguments";
    return scanner.left.empty() ? nullptr : "something behind ')'";
}

// A payload of a normal event has at most 16 bytes, and cannot have 1.
constexpr const char* check_size(const Signature& signature) {
    constexpr size_t longest = 16;
    if (signature.jumbo) return nullptr;
    for (const Argument& argument : signature.arguments())
        if (argument.type == ArgumentType::str) return "a str without '+'";
    if (signature.fixed_bytes() > longest) return "more than 16 bytes without '+'";
    return signature.fixed_bytes() == 1 ? "a payload of 1 byte" : nullptr;
}

// The conversions of printf that fit the type.
constexpr std::string_view conversions_of(ArgumentType type) {
    using enum ArgumentType;
    if (type == str) return "s";
    if (is_float(type)) return "eEfFgGaA";
    if (type == pointer) return "pxX";
    if (type == character || type == u8 || type == i8) return "diuxXoc";
    return type == u64 ? "diuxXop" : "diuxXo";
}

// A character or an address is printed as a text, which may have a width.
constexpr const char* check_text_format(std::string_view format) {
    Scanner scanner{format.substr(0, format.size() - 1)};
    scanner.take('-');
    if (scanner.left.starts_with('0')) return "a flag that a character or an address does not have";
    scanner.digits();
    return scanner.left.empty() ? nullptr : "more than a width for a character or an address";
}

// flags, width, precision, length, conversion: those of printf that fit the type. The length is read, and
// replaced by that of the argument when it is printed.
constexpr const char* check_format(std::string_view format, ArgumentType type) {
    if (format.empty()) return nullptr;
    if (format == "@") return is_integer(type) ? nullptr : "a name of something else than an integer";
    Scanner scanner{format};
    while (scanner.take_any("-+ #0")) {
    }
    constexpr size_t most_digits = 3;
    if (scanner.digits() > most_digits) return "a width of more than three digits";
    if (scanner.take('.') && scanner.digits() > most_digits) return "a precision of more than three digits";
    bool length = false;
    while (scanner.take_any("hljzt")) length = true;
    if (scanner.left.size() != 1) return "a format that printf does not know";
    char conversion = scanner.left.front();
    if (!scanner.take_any(conversions_of(type))) return "a format that does not fit the type";
    if (conversion == 's') return length ? "a length for a str" : nullptr;
    return conversion == 'c' || conversion == 'p' ? check_text_format(format) : nullptr;
}

}  // namespace definition

constexpr SignatureResult parse_signature(std::string_view text) {
    constexpr size_t code_size = 3;
    SignatureResult result;
    if (text.size() < code_size) return {{}, "fewer than three characters"};
    for (char c : text.substr(0, code_size))
        if (!definition::is_printable(c)) return {{}, "a character of the code is not printable"};
    result.signature.code = EventCode::from_chars(text.data());
    definition::Scanner scanner{text.substr(code_size)};
    result.signature.jumbo = scanner.take('+');
    result.fault = definition::parse_arguments(scanner, result.signature);
    if (!result.fault) result.fault = definition::check_size(result.signature);
    return result;
}

constexpr DescriptionPiece next_piece(std::string_view& description, const Signature& signature) {
    DescriptionPiece piece;
    if (!description.starts_with('%')) {
        piece.text = description.substr(0, description.find('%'));
        description.remove_prefix(piece.text.size());
        return piece;
    }
    if (description.starts_with("%%")) {
        piece.text = description.substr(0, 1);
        description.remove_prefix(2);
        return piece;
    }
    size_t open = description.find('{'), close = description.find('}');
    if (open == description.npos || close == description.npos || close < open) {
        description = {};
        piece.fault = "a '%' without {name} behind it";
        return piece;
    }
    piece.format = description.substr(1, open - 1);
    piece.argument = signature.find(description.substr(open + 1, close - open - 1));
    description.remove_prefix(close + 1);
    piece.fault = piece.argument ? definition::check_format(piece.format, piece.argument->type)
                                 : "the name of an argument that is not there";
    return piece;
}

constexpr const char* check_description(std::string_view description, const Signature& signature) {
    while (!description.empty())
        if (const char* fault = next_piece(description, signature).fault) return fault;
    return nullptr;
}

}  // namespace ovni
