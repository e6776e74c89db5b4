// A chain of alarms after parsing. A chain arms its alarms one after the other; the last hit that the armed
// alarm waits for fires its event (ovnirun --help control has the grammar). Plain data: the parser makes it,
// the engine copies it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ovni::region {

enum class Event : uint8_t { start, stop, thread_id, precondition };

constexpr std::string_view name_of(Event event) noexcept {
    constexpr std::string_view names[] = {"start", "stop", "threadid", "precond"};
    return names[static_cast<size_t>(event)];
}

// alarm_kinds.cpp has a row for each.
enum class AlarmKind : uint8_t {
    icount,
    uniform,
    address,
    ssc,
    itext,
    isa_extension,
    isa_category,
    int3,
    cpuid,
    magic,
    pcontrol,
    enter_function,
    exit_function,
    mpi,
    slow_call,
    interactive,
    timeout,
    how_many  // number of kinds
};
inline constexpr auto kind_count = static_cast<size_t>(AlarmKind::how_many);

// The rule for the second value of a hit: level of MPI_Pcontrol, subleaf of cpuid, duration of a call in ns.
enum class DetailRule : uint8_t { any, equal, at_least, neither_0_nor_2 };

enum class AddressForm : uint8_t { none, absolute, in_image, symbol };

struct Sampling {
    uint64_t period = 0;  // instructions from start to start
    uint64_t length = 0;
    uint64_t samples = 0;
};

struct Alarm {
    Event event = Event::start;
    AlarmKind kind = AlarmKind::icount;
    // The value that a hit must have: instructions, address or offset, immediate, leaf, both halves of magic,
    // number of the MPI function, ns of a timeout; hash_of(text) if the value is a text.
    uint64_t value = 0;
    std::string text;  // symbol, image, string, name in capitals, hexadecimal digits; function as written
    AddressForm address_form = AddressForm::none;
    DetailRule detail_rule = DetailRule::any;
    int64_t detail = 0;
    uint64_t count = 1;
    std::optional<uint32_t> thread;
    bool is_broadcast = false;
    bool is_global = false;
    Sampling sampling;
    size_t offset = 0;  // of the alarm in the chain's text, in bytes
};

inline constexpr uint32_t endless = 0;

struct Chain {
    std::string source;
    std::vector<Alarm> alarms;  // at least one
    uint64_t repeat = 1;        // number of runs, or endless
    std::string name;
    std::string waits_for;
    size_t waits_for_offset = 0;
    size_t name_offset = 0;
};

// The greatest count of an alarm: 7e13.
inline constexpr uint64_t largest_target = (uint64_t{1} << 46) - 1;

constexpr uint64_t hash_of(std::string_view text) noexcept {
    uint64_t hash = 0xcbf29ce484222325;
    for (char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    return hash;
}

constexpr uint64_t magic_value(uint32_t first, uint32_t second) noexcept {
    return uint64_t{first} << 32 | second;
}

}  // namespace ovni::region
