// The kinds of alarms, one row each: the name, the back end that looks for hits, and how the value is read.
// The value is the fields between the kind and the modifiers.
#pragma once

#include <span>
#include <string_view>

#include "region/alarm.hpp"
#include "region/chain_text.hpp"
#include "region/known_names.hpp"

namespace ovni::region {

struct Reading {
    std::string_view source;
    const KnownNames& known;

    Error wrong(const Piece& place, std::string what) const noexcept;
};

Fault read_number(const Reading& reading, const Piece& field, std::string_view what,
                  uint64_t& number) noexcept;

enum class BackEnd : uint8_t { present, code_library };

// A kind of alarm.
struct KindRow {
    AlarmKind kind;
    std::string_view name;  // as chains spell it; chain_parser.cpp has other spellings
    BackEnd back_end;       // looks for hits of this kind
    size_t fields;          // number of fields; int3 and interactive take an optional one, not counted here
    // Reads the value into the alarm. Call with that many fields, none of them empty.
    Fault (*read)(const Reading& reading, std::span<const Piece> fields, Alarm& alarm);
};

// The rows stand in the order of AlarmKind.
std::span<const KindRow, kind_count> kind_rows() noexcept;
const KindRow& row_of(AlarmKind kind) noexcept;

}  // namespace ovni::region
