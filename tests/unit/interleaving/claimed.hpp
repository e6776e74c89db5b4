// The algorithm of src/runtime/shared_buffer, step by step, as a model: two producers with records of one
// word and of two, a ring of a few words, a reader, and another one that takes over. Producers may die before
// any step. Mistakes can be put in, to see that the model would show them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tests/unit/interleaving/explore.hpp"
#include "tests/unit/interleaving/published.hpp"

namespace ovni::test {

enum class Mistake : uint8_t { none, claims_late, waits_with_claim, frees_before_clearing, skips_the_living };

struct ClaimedModel {
    Deaths deaths = Deaths::none;
    Mistake mistake = Mistake::none;
    uint8_t capacity = 4;
    std::array<uint8_t, 2> spaces = {1, 2};
    std::array<uint8_t, 2> records = {2, 2};
    uint8_t takeovers = 0;

    static constexpr size_t producers = 2, most_words = 6;
    enum ProducerAt : uint8_t {
        load_reserved,
        look_for_room,
        wait,
        claim,
        swap,
        claim_after,
        store_body,
        commit,
        unclaim,
        end,
        dead
    };
    enum ReaderAt : uint8_t {
        at_word,
        at_claims,
        at_liveness,
        at_word_again,
        at_clear,
        at_free,
        at_takeover
    };

    struct Claimed {
        uint8_t at, space;
    };
    struct Producer {
        uint8_t step, at, limit, left, committed, delivered, released;
        Claimed claimed;
    };
    struct State {
        std::array<uint8_t, most_words> words;
        uint8_t reserved, freed, beg_read;
        std::array<Producer, producers> who;
        uint8_t reader, next, seat, has_living, smallest, largest, takeovers;
    };

    State first() const {
        State state{};
        for (size_t i = 0; i < producers; ++i) state.who[i].left = records[i];
        return state;
    }

    bool is_end(const State& state) const {
        bool ended = std::ranges::all_of(
            state.who, [](const Producer& p) { return p.step >= end && p.delivered == p.committed; });
        return ended && state.freed == state.reserved;
    }

    template <class Found>
    void steps(const State& from, Found found) const {
        for (size_t i = 0; i < producers; ++i) {
            produce(from, i, found);
            if (deaths == Deaths::none || from.who[i].step >= end) continue;
            State after = from;
            after.who[i].step = dead;
            found(i == 0 ? "A dies" : "B dies", after, nullptr, Step::possible);
        }
        read(from, found);
        if (from.takeovers == takeovers) return;
        State after = from;
        ++after.takeovers;
        after.reader = at_takeover;
        after.next = after.beg_read;
        for (Producer& producer : after.who) producer.delivered = producer.released;
        found("another reader takes over", after, nullptr, Step::possible);
    }

 private:
    // Words of a record are never zero, and its space follows from the commit word.
    static uint8_t commit_word(size_t i, uint8_t number) {
        return static_cast<uint8_t>(0x80 | i << 4 | number);
    }
    static uint8_t body_word(size_t i, uint8_t number) {
        return static_cast<uint8_t>(0x40 | i << 4 | number);
    }
    uint8_t& word(State& state, uint8_t at) const { return state.words[at % capacity]; }
    uint8_t word(const State& state, uint8_t at) const { return state.words[at % capacity]; }

    template <class Found>
    void produce(const State& from, size_t i, Found found) const {
        State after = from;
        Producer& me = after.who[i];
        const uint8_t space = spaces[i];
        auto go = [&](const char* a, const char* b, uint8_t to, const char* broken = nullptr) {
            me.step = to;
            found(i == 0 ? a : b, after, broken, Step::sure);
        };
        auto store = [&](uint8_t at, uint8_t value) {
            bool is_ours = word(from, at) == 0 && at < from.freed + capacity && at >= from.freed;
            word(after, at) = value;
            return is_ours ? nullptr : "stores into space that is not free";
        };
        const uint8_t first_store = space > 1 ? store_body : commit;
        const uint8_t after_swap = mistake == Mistake::claims_late ? uint8_t{claim_after} : first_store;
        switch (me.step) {
            case load_reserved:
                me.at = from.reserved;
                go("A loads reserved", "B loads reserved", look_for_room);
                break;
            case look_for_room:
                if (me.at + space <= me.limit)
                    return go("A knows room", "B knows room", mistake == Mistake::claims_late ? swap : claim);
                me.limit = static_cast<uint8_t>(from.freed + capacity);
                if (me.at + space > me.limit) return go("A has no room", "B has no room", wait);
                go("A finds room", "B finds room", load_reserved);
                break;
            case wait:
                if (mistake != Mistake::waits_with_claim) me.claimed = {};
                // Reads `freed` until it has moved.
                if (mistake == Mistake::waits_with_claim && from.freed + capacity == me.limit) return;
                go("A has waited", "B has waited", load_reserved);
                break;
            case claim:
                me.claimed = {me.at, space};
                go("A claims", "B claims", swap);
                break;
            case swap:
                if (from.reserved != me.at) {
                    me.at = from.reserved;
                    return go("A's swap fails", "B's swap fails", look_for_room);
                }
                after.reserved = static_cast<uint8_t>(from.reserved + space);
                go("A swaps", "B swaps", after_swap);
                break;
            case claim_after:
                me.claimed = {me.at, space};
                go("A claims late", "B claims late", first_store);
                break;
            case store_body:
                go("A stores the body", "B stores the body", commit,
                   store(static_cast<uint8_t>(me.at + 1), body_word(i, me.committed)));
                break;
            case commit: {
                const char* broken = store(me.at, commit_word(i, me.committed));
                ++me.committed;
                go("A commits", "B commits", unclaim, broken);
                break;
            }
            case unclaim:
                me.claimed = {};
                go("A is done", "B is done", --me.left == 0 ? end : load_reserved);
                break;
            default:
                break;
        }
    }

    template <class Found>
    void read(const State& from, Found found) const {
        State after = from;
        auto go = [&](const char* step, uint8_t to, const char* broken = nullptr) {
            after.reader = to;
            found(step, after, broken, Step::sure);
        };
        switch (from.reader) {
            case at_word:
                if (from.next == from.reserved) return go("reader is at the end", at_clear);
                if (word(from, from.next) != 0) return go("reader takes", at_word, take(after));
                after.seat = after.has_living = after.smallest = after.largest = 0;
                go("reader finds no record", at_claims);
                break;
            case at_claims: {
                Claimed claimed = from.who[from.seat].claimed;
                if (claimed.space == 0 || claimed.at != from.next)
                    return go("reader sees no claim", next_seat(after));
                after.smallest = from.smallest == 0 ? claimed.space : std::min(from.smallest, claimed.space);
                after.largest = std::max(from.largest, claimed.space);
                go("reader sees a claim", at_liveness);
                break;
            }
            case at_liveness:
                if (from.who[from.seat].step != dead && mistake != Mistake::skips_the_living)
                    after.has_living = 1;
                go("reader asks for life", next_seat(after));
                break;
            case at_word_again:
                if (from.has_living) return go("reader waits", at_clear);
                if (word(from, from.next) != 0) return go("reader looks again", at_word);
                go("reader passes the dead", at_word, pass(after));
                break;
            case at_clear:
                if (mistake == Mistake::frees_before_clearing)
                    return go("reader frees", at_free, free(after));
                after.beg_read = from.next;
                clear(after);
                for (Producer& producer : after.who) producer.released = producer.delivered;
                go("reader clears", at_free);
                break;
            case at_free:
                if (mistake == Mistake::frees_before_clearing) {
                    for (uint8_t at = from.beg_read; at < from.next; ++at) word(after, at) = 0;
                    after.beg_read = from.next;
                    return go("reader clears late", at_word);
                }
                go("reader frees", at_word, free(after));
                break;
            default:
                clear(after);
                go("next reader clears", at_free);
        }
    }

    static const char* free(State& state) {
        state.freed = state.next;
        return nullptr;
    }
    void clear(State& state) const {
        for (uint8_t at = state.freed; at < state.next; ++at) word(state, at) = 0;
    }
    static uint8_t next_seat(State& state) {
        return ++state.seat == producers ? uint8_t{at_word_again} : uint8_t{at_claims};
    }

    const char* take(State& state) const {
        uint8_t value = word(state, state.next);
        size_t i = value >> 4 & 1;
        Producer& producer = state.who[i];
        if ((value & 0x80) == 0) return "takes the middle of a record";
        if (value != commit_word(i, producer.delivered)) return "takes a record twice, or out of order";
        auto behind = static_cast<uint8_t>(state.next + 1);
        if (spaces[i] > 1 && word(state, behind) != body_word(i, producer.delivered))
            return "takes a torn record";
        ++producer.delivered;
        state.next = static_cast<uint8_t>(state.next + spaces[i]);
        return nullptr;
    }

    bool is_boundary(const State& state, uint8_t at) const {
        if (at == state.reserved) return true;
        if (at > state.reserved) return false;
        return (word(state, at) & 0x80) != 0 || std::ranges::any_of(state.who, [&](const Producer& producer) {
                   return producer.claimed.space != 0 && producer.claimed.at == at;
               });
    }

    const char* pass(State& state) const {
        if (state.smallest == 0) return "nobody claims what is reserved";
        for (uint8_t space = state.smallest; space <= state.largest; ++space) {
            auto behind = static_cast<uint8_t>(state.next + space);
            if (state.smallest != state.largest && !is_boundary(state, behind)) continue;
            state.next = behind;
            return nullptr;
        }
        return "no claim fits";
    }
};

}  // namespace ovni::test
