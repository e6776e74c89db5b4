// The letters of a chain. Quotes and escapes are resolved, and every letter keeps its offset, so that errors
// can show the place. Errors are values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ovni::region {

struct Error {
    // Kinds of names that may be unknown.
    enum class Name : uint8_t { none, mpi_function, isa_extension, isa_category };

    std::string what;
    std::string text;   // the whole chain
    size_t offset = 0;  // of the fault, in bytes
    std::string unknown_name = {};
    Name unknown = Name::none;

    // Counts characters, from 1.
    size_t column() const noexcept;
    // "what, at column 7 of 'text'", always one line.
    std::string message() const noexcept;
};

// Empty, or the error.
using Fault = std::optional<Error>;

struct Letter {
    char c = 0;
    bool is_quoted = false;  // quoted letters neither separate nor are trimmed
    size_t offset = 0;
};

// A stretch of letters without blanks at its ends.
struct Piece {
    std::span<const Letter> letters;
    size_t offset = 0;

    bool is_empty() const noexcept { return letters.empty(); }
    std::string text() const noexcept;
    Piece from(size_t position) const noexcept;
    Piece until(size_t position) const noexcept { return {letters.first(position), offset}; }
    // The last letter `c` that is not quoted.
    std::optional<size_t> find_last(char c) const noexcept;
};

// An en dash outside of quotes becomes a dash.
Fault read_letters(std::string_view text, std::vector<Letter>& letters) noexcept;

std::vector<Piece> split(Piece piece, char separator) noexcept;

enum class Number : uint8_t { none, too_large, good };

// Decimal, or hexadecimal after 0x.
Number read_number(std::string_view text, uint64_t& value) noexcept;

}  // namespace ovni::region
