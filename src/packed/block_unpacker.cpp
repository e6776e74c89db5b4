#include "packed/block_unpacker.hpp"

#include <algorithm>
#include <bit>

namespace ovni::packed {

// The state of one block, in registers as far as possible: functions that change it are inlined.
struct BlockUnpacker::State {
    BitReader tokens, lengths, lows;
    uint8_t *at, *end;
    uint64_t clock;
    uint32_t most_events;
    uint32_t events = 0, tokens_known = 0, heads_known = 0;
    uint32_t place = 0;
    bool has_place = false;
};

BlockUnpacker::BlockUnpacker()
    : token_(OVNI_PACKED_MOST_TOKENS + 1),
      heads_(OVNI_PACKED_MOST_HEADS + 1),
      last_words_(OVNI_PACKED_MOST_HEADS + 1),
      last_token_(OVNI_PACKED_MOST_HEADS + 1),
      last_data_(OVNI_PACKED_MOST_HEADS + 1) {}

// Writes an event; of a jumbo event what comes before the size of its data.
[[gnu::always_inline]] inline bool BlockUnpacker::put(State& state, uint32_t number) {
    Token& token = token_[number];
    if (!state.lengths.is_within() || !state.lows.is_within() || state.at > state.end) [[unlikely]]
        return false;
    if ((token.key & same_clock) == 0) {
        const auto far =
            static_cast<uint32_t>(std::countr_zero(state.lengths.peek() | uint64_t{1} << OVNI_PACKED_FAR));
        int highest = 0, distance = 0;
        if (far < OVNI_PACKED_FAR) [[likely]] {
            const uint32_t sign_bits = far > 0 ? 1 : 0;
            const bool is_below = ((state.lengths.peek() >> (far + 1)) & sign_bits) != 0;
            state.lengths.skip(far + 1 + sign_bits);
            distance = is_below ? -static_cast<int>(far) : static_cast<int>(far);
            highest = ((token.centre + 8) >> 4) + distance;
        } else {
            state.lengths.skip(OVNI_PACKED_FAR);
            highest = static_cast<int>(state.lengths.get(6));
            distance = distance_from(token.centre, highest);
        }
        if (highest < 0 || highest > 63) [[unlikely]]
            return false;
        move_centre(token, distance);
        state.clock += uint64_t{1} << highest | state.lows.get_long(static_cast<uint32_t>(highest));
    }
    const uint32_t head = head_of(token.key);
    std::memcpy(state.at, &head, sizeof head);
    std::memcpy(state.at + OVNI_FORMAT_CLOCK_AT, &state.clock, sizeof state.clock);
    const Words words = last_words_[token.head] + token.difference;
    last_words_[token.head] = words;
    std::memcpy(state.at + OVNI_FORMAT_EVENT_HEADER, &words, sizeof words);
    state.at += OVNI_FORMAT_EVENT_HEADER + token.payload;
    return true;
}

[[gnu::always_inline]] inline bool BlockUnpacker::put_expected(State& state, uint32_t count) {
    if (count > state.most_events - state.events || (count > 0 && !state.has_place)) return false;
    for (uint32_t i = 0; i < count; ++i) {
        const uint16_t token = token_of_[state.place++];
        token_of_[state.events++] = token;
        if ((token_[token].key & jumbo) != 0 || !put(state, token)) [[unlikely]]
            return false;
    }
    return true;
}

// A token that is described.
[[gnu::noinline]] bool BlockUnpacker::take_new(State& state) {
    if (state.tokens_known == OVNI_PACKED_MOST_TOKENS) return false;
    const auto number = static_cast<uint32_t>(state.tokens.get(bits_below(state.heads_known + 1)));
    if (number > state.heads_known) return false;
    const bool is_new = number == state.heads_known;
    if (is_new) {
        if (state.heads_known == OVNI_PACKED_MOST_HEADS) return false;
        heads_[number] = static_cast<uint32_t>(state.tokens.get(32));
        last_words_[number] = Words{};
        last_data_[number].clear();
        ++state.heads_known;
    }
    const uint32_t head = heads_[number];
    const bool is_jumbo = ovni_format_is_jumbo(static_cast<uint8_t>(head)) != 0;
    Token& token = token_[state.tokens_known];
    token.key = head | (state.tokens.get(1) != 0 ? same_clock : 0) | (is_jumbo ? jumbo : 0);
    token.head = static_cast<uint16_t>(number);
    token.payload = static_cast<uint8_t>(payload_of(head));
    token.centre = is_new ? int16_t{OVNI_PACKED_CENTRE} : token_[last_token_[number]].centre;
    token.difference = Words{};
    for (uint32_t word = 0; word * sizeof(uint32_t) < token.payload; ++word)
        token.difference[word] = state.tokens.get_word();
    ++state.tokens_known;
    return state.tokens.is_within();
}

[[gnu::noinline]] bool BlockUnpacker::take_data(State& state, uint32_t token) {
    std::vector<uint8_t>& last = last_data_[token_[token].head];
    const uint32_t size = state.tokens.get_gamma();
    const auto room = state.end - state.at;
    if (room < OVNI_FORMAT_JUMBO_SIZE || size > static_cast<uint64_t>(room - OVNI_FORMAT_JUMBO_SIZE))
        return false;
    constexpr size_t word = sizeof(uint32_t);
    last.resize((size + word - 1) / word * word);
    for (size_t i = 0; i < last.size(); i += word) {
        if (!state.tokens.is_within()) return false;
        const uint32_t now = ovni_format_load_u32(&last[i]) + state.tokens.get_word();
        std::memcpy(&last[i], &now, sizeof now);
    }
    std::memcpy(state.at, &size, sizeof size);
    if (size > 0) std::memcpy(state.at + OVNI_FORMAT_JUMBO_SIZE, last.data(), size);
    state.at += OVNI_FORMAT_JUMBO_SIZE + size;
    return true;
}

// An event that is not as expected.
[[gnu::always_inline]] inline bool BlockUnpacker::take(State& state, uint32_t& token) {
    if (state.tokens.get(1) != 0) {
        state.place = static_cast<uint32_t>(state.tokens.get(bits_below(state.events)));
        if (state.place >= state.events) return false;
        token = token_of_[state.place++];
        state.has_place = true;
        return (token_[token].key & jumbo) == 0;
    }
    token = static_cast<uint32_t>(state.tokens.get(bits_below(state.tokens_known + 1)));
    if (token > state.tokens_known || (token == state.tokens_known && !take_new(state))) return false;
    if (state.has_place) ++state.place;
    last_token_[token_[token].head] = static_cast<uint16_t>(token);
    return true;
}

bool BlockUnpacker::unpack(const PackedColumns& columns, std::span<uint8_t> to) {
    const auto reader = [](std::span<const uint8_t> column) {
        return BitReader(column.data(), column.data() + column.size());
    };
    State state{reader(columns.tokens), reader(columns.lengths), reader(columns.lows), to.data(),
                to.data() + to.size(),  columns.first_clock,     columns.events};
    if (token_of_.size() < size_t{columns.events} + 1) token_of_.resize(size_t{columns.events} + 1);
    for (;;) {
        const uint32_t as_expected = state.tokens.get_gamma();
        if (!state.tokens.is_within() || !put_expected(state, as_expected)) return false;
        if (state.events == state.most_events) break;
        uint32_t token = 0;
        if (!take(state, token)) return false;
        token_of_[state.events++] = static_cast<uint16_t>(token);
        if (!put(state, token)) return false;
        if ((token_[token].key & jumbo) != 0 && !take_data(state, token)) return false;
    }
    return state.at == state.end;
}

}  // namespace ovni::packed
