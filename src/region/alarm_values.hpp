// The value of an alarm, as its kind wants it: the fields between the kind and the modifiers.
#pragma once

#include <span>
#include <string_view>

#include "region/alarm.hpp"
#include "region/chain_text.hpp"

namespace ovni::region {

struct Reading {
    std::string_view source;
    // "MPI_Send", ...: the place is the number of the function. Without any, functions are not looked up.
    std::span<const std::string_view> mpi_functions;

    Error wrong(const Piece& place, std::string what) const noexcept;
};

// How many fields the value of such an alarm takes; int3 and interactive take an optional one.
size_t fields_of_value(Kind kind) noexcept;

// `fields` has as many pieces as the kind takes, none of them empty.
Fault read_value(const Reading& reading, std::span<const Piece> fields, Alarm& alarm) noexcept;

Fault read_number(const Reading& reading, const Piece& field, std::string_view what,
                  uint64_t& number) noexcept;

}  // namespace ovni::region
