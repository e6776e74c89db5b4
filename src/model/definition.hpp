// The event definition language: one signature per event, and a description for people.
//
//     OAs(i32 cpu)                  code, then the arguments of the payload, packed in order
//     VYc+(u32 typeid, str label)   '+': a jumbo event; arguments start behind its size field
//     "moves to the CPU with index %{cpu}, tag %#llx{tag}"
//
// Types: u8 u16 u32 u64 i8 i16 i32 i64 str; str is zero terminated, has no fixed size and can only be last.
// Types beyond the reference's: f32 f64, a ptr of 8 bytes, and a char. At most 16 arguments. In a description
//     %{name}        prints an argument in the default format of its type: a ptr as 0x7f00, a float with the
//                    fewest digits that tell it from all others
//     %FORMAT{name}  with the printf conversion FORMAT: one of d i u x X o for integers, a char or (x X) a
//                    ptr, of e f g a and their capitals for floats, of s for a str
//     %c{name}       the character of a char, u8 or i8; one that is not printable as \x1b
//     %p{name}       the address of a ptr or u64
//     %@{name}       the name of a number, if the event has a table of names
//     %%             a percent sign
//
// The parser is constexpr: the tables of the models are checked when they are compiled, and the tools use it
// at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ovni/event_code.hpp"

namespace ovni {

enum class ArgumentType : uint8_t { u8, u16, u32, u64, i8, i16, i32, i64, str, f32, f64, pointer, character };

inline constexpr std::string_view argument_type_names[] = {"u8",  "u16", "u32", "u64", "i8",  "i16", "i32",
                                                           "i64", "str", "f32", "f64", "ptr", "char"};

// The size of an argument in a payload; 0 for a str.
constexpr size_t bytes_of(ArgumentType type) {
    constexpr uint8_t bytes[] = {1, 2, 4, 8, 1, 2, 4, 8, 0, 4, 8, 8, 1};
    return bytes[static_cast<size_t>(type)];
}
constexpr bool is_integer(ArgumentType type) {
    return type <= ArgumentType::i64;
}
constexpr bool is_float(ArgumentType type) {
    return type == ArgumentType::f32 || type == ArgumentType::f64;
}

struct Argument {
    ArgumentType type{};
    std::string_view name;
    uint8_t offset = 0;  // in the payload; of a jumbo event behind the size field
};

// A parsed signature. Points into its text.
struct Signature {
    static constexpr size_t most_arguments = 16;
    EventCode code;
    bool jumbo = false;
    std::array<Argument, most_arguments> all{};
    size_t count = 0;

    constexpr std::span<const Argument> arguments() const { return {all.data(), count}; }
    // Bytes of the payload that all arguments need, without the size field of a jumbo event and without the
    // bytes of a str.
    constexpr size_t fixed_bytes() const {
        size_t bytes = 0;
        for (const Argument& argument : arguments()) bytes += bytes_of(argument.type);
        return bytes;
    }
    // The argument of that name; nullptr if there is none.
    constexpr const Argument* find(std::string_view name) const {
        for (const Argument& argument : arguments())
            if (argument.name == name) return &argument;
        return nullptr;
    }
};

// `fault`: nullptr, or the fault of the text in a few words.
struct SignatureResult {
    Signature signature;
    const char* fault = nullptr;
};
constexpr SignatureResult parse_signature(std::string_view text);

// A piece of a description: plain text, or an argument in a printf conversion, or a fault.
struct DescriptionPiece {
    std::string_view text;
    const Argument* argument = nullptr;
    std::string_view format;  // between '%' and '{': flags, width, precision, length, conversion; or empty
    const char* fault = nullptr;
};
// Cuts the next piece from the front of `description`, which is not empty. check_description() and describe()
// both use it.
constexpr DescriptionPiece next_piece(std::string_view& description, const Signature& signature);

// nullptr, or the fault of a description for that signature: an unknown argument, a format that does not fit.
constexpr const char* check_description(std::string_view description, const Signature& signature);

// The name of a number in an event; empty if it has none.
using NameOf = std::string_view(uint64_t number);

// The description with the arguments of a real payload (of a jumbo event with its size field); at most 1022
// bytes. Arguments beyond the end of a payload print as "<missing>", strings without an end are marked.
std::string describe(std::string_view description, const Signature& signature,
                     std::span<const uint8_t> payload, NameOf* name_of = nullptr);

}  // namespace ovni

#include "model/definition_parser.hpp"
