#include "packed/block_packer.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ovni::packed {

namespace {

constexpr uint32_t hash_bits = PackerMemory::hash_bits, head_bits = PackerMemory::head_bits,
                   pair_bits = PackerMemory::pair_bits;
constexpr uint32_t golden = 0x9e3779b1u;
constexpr size_t word = sizeof(uint32_t);

// The word at `offset` of these data, with zeros behind them.
uint32_t word_of(JumboData data, size_t offset) {
    uint32_t value = 0;
    if (offset < data.size)
        std::memcpy(&value, data.data + offset, std::min<size_t>(word, data.size - offset));
    return value;
}

uint32_t hash_of(Key key, uint32_t head, Words difference) {
    uint64_t halves[2];
    std::memcpy(halves, &difference, sizeof halves);
    uint64_t hash =
        (halves[0] + (uint64_t{head} * 4 + (key >> 32)) * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
    hash = (hash + halves[1]) * 0xc4ceb9fe1a85ec53u;
    return static_cast<uint32_t>(hash >> (64 - hash_bits));
}

// Masks for payloads of so many bytes.
struct Masks {
    alignas(Words) uint8_t bytes[OVNI_FORMAT_PAYLOAD_MAX + 1][OVNI_FORMAT_PAYLOAD_MAX]{};
    constexpr Masks() {
        for (size_t size = 0; size <= OVNI_FORMAT_PAYLOAD_MAX; ++size)
            for (size_t i = 0; i < size; ++i) bytes[size][i] = UINT8_MAX;
    }
    Words of(size_t payload) const { return load_words(bytes[payload]); }
};
constexpr Masks masks;

}  // namespace

// The state of one block, in registers as far as possible: functions that change it are inlined.
struct BlockPacker::State {
    BitWriter tokens, lengths, lows;
    const uint8_t *at, *end;
    uint64_t clock, least, greatest;
    uint32_t events = 0, tokens_known = 0, heads_known = 0;
    uint32_t place = 0, as_expected = 0;  // events that have the tokens at the place
    uint32_t last_two = 0;                // tokens
    bool has_place = false;

    uint32_t pair() const { return (last_two * golden) >> (32 - pair_bits); }
};

void BlockPacker::begin() {
    for (uint32_t i = 0; i < tokens_used_; ++i) memory_.by_hash[memory_.used[i]] = 0;
    for (uint32_t i = 0; i < heads_used_; ++i) memory_.head_numbers[memory_.heads_used[i]] = 0;
    tokens_used_ = heads_used_ = 0;
    std::ranges::fill(memory_.after_two, 0);
}

[[gnu::always_inline]] inline void BlockPacker::step(State& state, Token& token, uint64_t clock) const {
    const uint64_t step = clock - state.clock;
    state.clock = clock;
    if (step == 0) return;
    state.least = std::min(state.least, clock);
    state.greatest = std::max(state.greatest, clock);
    const int highest = 63 - std::countl_zero(step);
    const int distance = distance_from(token.centre, highest);
    move_centre(token, distance);
    const auto is_below = static_cast<uint32_t>(distance) >> 31;
    const auto far = static_cast<uint32_t>(distance < 0 ? -distance : distance);
    if (far < OVNI_PACKED_FAR) [[likely]] {
        state.lengths.put((uint64_t{1} | uint64_t{is_below} << 1) << far, far + 1 + (far > 0 ? 1 : 0));
    } else {
        state.lengths.put(0, OVNI_PACKED_FAR);
        state.lengths.put(static_cast<uint64_t>(highest), 6);
    }
    state.lows.put_long(step ^ uint64_t{1} << highest, static_cast<uint32_t>(highest));
}

[[gnu::always_inline]] inline void BlockPacker::remember(State& state, uint32_t token) {
    memory_.after_two[state.pair()] = state.events;
    state.last_two = state.last_two << 16 | token;
    ++state.events;
}

// Takes events that have the tokens at the place. True if all did that were compared.
[[gnu::always_inline]] inline bool BlockPacker::follow(State& state) {
    // Events that were as expected may repeat themselves: then the place may lie further back, for longer
    // stretches.
    constexpr uint32_t near = 256, longest = 512;
    const uint32_t distance = state.events - state.place;
    const uint32_t back = distance < near ? state.as_expected / distance * distance : 0;
    uint16_t* tokens = memory_.token_of;
    const uint16_t* expected = tokens + state.place - back;
    const uint32_t most = std::min(distance + back, longest);
    uint32_t count = 0;
    for (; count < most && state.at < state.end; ++count) {
        Token& token = memory_.tokens[expected[count]];
        const uint64_t clock = ovni_format_clock(state.at);
        const Key key = ovni_format_load_u32(state.at) | (clock == state.clock ? same_clock : 0);
        if (token.key != key) break;
        const Words words = load_words(state.at + OVNI_FORMAT_EVENT_HEADER) & masks.of(token.payload);
        if (!are_equal(words - memory_.last_words[token.head], token.difference)) break;
        memory_.last_words[token.head] = words;
        step(state, token, clock);
        state.at += OVNI_FORMAT_EVENT_HEADER + token.payload;
    }
    std::memcpy(tokens + state.events, expected, count * sizeof *tokens);
    for (uint32_t i = 0; i < count; ++i) remember(state, expected[i]);
    state.place += count;
    state.as_expected += count;
    return count == most;
}

// The token of an event, which is made if there is none.
[[gnu::always_inline]] inline BlockPacker::Found BlockPacker::find(State& state, Key key, Words words) {
    Found found;
    const uint32_t head = head_of(key);
    uint32_t at = (head * golden) >> (32 - head_bits);
    while (memory_.head_keys[at] != head || memory_.head_numbers[at] == 0) {
        if (memory_.head_numbers[at] == 0) {
            found.has_new_head = true;
            break;
        }
        at = (at + 1) % (1u << head_bits);
    }
    found.has_room = !found.has_new_head || state.heads_known < OVNI_PACKED_MOST_HEADS;
    if (!found.has_room) return found;
    const uint32_t number = found.has_new_head ? state.heads_known : memory_.head_numbers[at] - 1u;
    const Words difference = found.has_new_head ? words : words - memory_.last_words[number];
    uint32_t place = hash_of(key, number, difference);
    for (;; place = (place + 1) % (1u << hash_bits)) {
        if (memory_.by_hash[place] == 0) break;
        found.token = memory_.by_hash[place] - 1u;
        const Token& known = memory_.tokens[found.token];
        if (known.key == key && are_equal(known.difference, difference)) return found;
    }
    found.has_room = state.tokens_known < OVNI_PACKED_MOST_TOKENS;
    if (!found.has_room) return found;
    if (found.has_new_head) {
        memory_.head_keys[at] = head;
        memory_.head_numbers[at] = static_cast<uint16_t>(number + 1);
        memory_.heads_used[heads_used_++] = at;
        memory_.last_data[number] = {};
    }
    found.is_new = true;
    found.token = state.tokens_known;
    memory_.by_hash[place] = static_cast<uint16_t>(found.token + 1);
    memory_.used[tokens_used_++] = place;
    memory_.tokens[found.token] = {
        difference, key, static_cast<uint16_t>(number), static_cast<uint8_t>(payload_of(head)),
        found.has_new_head ? int16_t{OVNI_PACKED_CENTRE} : memory_.tokens[memory_.last_token[number]].centre};
    return found;
}

[[gnu::always_inline]] inline void BlockPacker::describe(State& state, const Found& found, Key key) {
    const Token& token = memory_.tokens[found.token];
    state.tokens.put(token.head, bits_below(state.heads_known + 1));
    if (found.has_new_head) {
        state.tokens.put(head_of(key), 32);
        ++state.heads_known;
    }
    state.tokens.put((key & same_clock) != 0 ? 1 : 0, 1);
    for (uint32_t word = 0; word * sizeof(uint32_t) < token.payload; ++word)
        state.tokens.put_word(token.difference[word]);
    ++state.tokens_known;
}

[[gnu::always_inline]] inline void BlockPacker::put_data(State& state, uint32_t head, const uint8_t* data,
                                                         uint32_t size) {
    state.tokens.put_gamma(size);
    const JumboData last = std::exchange(memory_.last_data[head], {data, size});
    for (size_t at = 0; at < size; at += word)
        state.tokens.put_word(word_of({data, size}, at) - word_of(last, at));
}

// An event that is not as expected. False: there is no room for its token.
[[gnu::always_inline]] inline bool BlockPacker::take(State& state) {
    const uint64_t clock = ovni_format_clock(state.at);
    const uint32_t head = ovni_format_load_u32(state.at);
    const bool is_jumbo = ovni_format_is_jumbo(static_cast<uint8_t>(head)) != 0;
    const Key key = head | (clock == state.clock ? same_clock : 0) | (is_jumbo ? jumbo : 0);
    const Words words = load_words(state.at + OVNI_FORMAT_EVENT_HEADER) & masks.of(payload_of(head));
    const Found found = find(state, key, words);
    if (!found.has_room) return false;
    state.tokens.put_gamma(state.as_expected);
    state.as_expected = 0;
    const uint32_t to = memory_.after_two[state.pair()];
    if (!found.is_new && !is_jumbo && to != 0 && memory_.token_of[to] == found.token) {
        state.tokens.put(1, 1);
        state.tokens.put(to, bits_below(state.events));
        state.place = to + 1;
        state.has_place = true;
    } else {
        state.tokens.put(0, 1);
        state.tokens.put(found.token, bits_below(state.tokens_known + 1));
        if (state.has_place) ++state.place;
        if (found.is_new) describe(state, found, key);
        memory_.last_token[memory_.tokens[found.token].head] = static_cast<uint16_t>(found.token);
    }
    Token& token = memory_.tokens[found.token];
    memory_.last_words[token.head] = words;
    memory_.token_of[state.events] = static_cast<uint16_t>(found.token);
    remember(state, found.token);
    step(state, token, clock);
    state.at += OVNI_FORMAT_EVENT_HEADER + token.payload;
    if (is_jumbo) [[unlikely]] {
        const uint32_t size = ovni_format_load_u32(state.at);
        put_data(state, token.head, state.at + OVNI_FORMAT_JUMBO_SIZE, size);
        state.at += OVNI_FORMAT_JUMBO_SIZE + size;
    }
    return true;
}

Columns BlockPacker::pack(std::span<const uint8_t> events) {
    begin();
    const uint64_t first = ovni_format_clock(events.data());
    State state{BitWriter(memory_.columns[0]),
                BitWriter(memory_.columns[1]),
                BitWriter(memory_.columns[2]),
                events.data(),
                events.data() + events.size(),
                first,
                first,
                first};
    while (state.at < state.end) {
        if (state.has_place && (follow(state) || state.at >= state.end)) continue;
        if (!take(state)) break;
    }
    state.tokens.put_gamma(state.as_expected);
    const auto column = [&](size_t number, BitWriter& writer) {
        const uint8_t* begin = memory_.columns[number];
        return std::span(begin, static_cast<size_t>(writer.end() - begin));
    };
    return {column(0, state.tokens),
            column(1, state.lengths),
            column(2, state.lows),
            static_cast<size_t>(state.at - events.data()),
            state.events,
            first,
            state.least,
            state.greatest};
}

}  // namespace ovni::packed
