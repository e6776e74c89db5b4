#include "runtime/state_rows.hpp"

#include <array>
#include <iterator>

#include "ovni/emit.hpp"

namespace ovni::writer {
namespace {

constexpr StateRow rows[] = {
#include "state_rows.inc"
};

// `first` has the first row of each place, `next` the row behind each row. Both count from 1; 0: none.
struct Places {
    std::array<uint16_t, 1u << detail::gate_place_bits> first{};
    std::array<uint16_t, std::size(rows)> next{};
};

constexpr Places places = [] {
    Places found;
    for (size_t i = 0; i < std::size(rows); ++i) {
        uint16_t& first = found.first[detail::gate_place(EventCode::from_bits(rows[i].code))];
        found.next[i] = first;
        first = static_cast<uint16_t>(i + 1);
    }
    return found;
}();

struct Bits {
    uint64_t words[detail::gate_words];
};

constexpr void set_bit(Bits& bits, EventCode code) {
    uint32_t place = detail::gate_place(code);
    bits.words[place / 64] |= uint64_t{1} << place % 64;
}

// Rows of all models but one.
constexpr Bits states_without(char model) {
    Bits bits{};
    for (const StateRow& row : rows) {
        EventCode code = EventCode::from_bits(row.code);
        if (row.kind != StateRowKind::always && code.model() != model) set_bit(bits, code);
    }
    return bits;
}

constexpr Bits states = states_without('\0');
constexpr Bits states_without_mpi = states_without('M');

constexpr Bits when_off = [] {
    Bits bits{};
    for (const StateRow& row : rows) set_bit(bits, EventCode::from_bits(row.code));
    for (char category : {'H', 'A', 'F', 'U'})
        for (char value = '!'; value <= '~'; ++value) {
            const char code[] = {'O', category, value};
            if (is_never_gated(EventCode::from_chars(code))) set_bit(bits, EventCode::from_chars(code));
        }
    return bits;
}();

constexpr Bits all = [] {
    Bits bits{};
    for (uint64_t& word : bits.words) word = ~uint64_t{0};
    return bits;
}();

constexpr Bits none{};

}  // namespace

std::span<const StateRow> state_rows() noexcept {
    return rows;
}

const StateRow* find_state_row(EventCode code) noexcept {
    for (uint16_t at = places.first[detail::gate_place(code)]; at != 0; at = places.next[at - 1])
        if (rows[at - 1].code == code.bits()) return &rows[at - 1];
    return nullptr;
}

const uint64_t* const gate_without_looks = none.words;
const uint64_t* const gate_of_states = states.words;
const uint64_t* const gate_of_states_without_mpi = states_without_mpi.words;
const uint64_t* const gate_shut = all.words;
const uint64_t* const gate_when_off = when_off.words;

}  // namespace ovni::writer
