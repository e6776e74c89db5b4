// The NPTL Trace Tool's algorithm as published, and with its order of steps corrected, as a model: two
// producers, a daemon, records that fill one slot each. PAUSE is what the daemon sets while it waits for
// `written` to reach `reserved`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tests/unit/interleaving/explore.hpp"

namespace ovni::test {

enum class Reservation : uint8_t { after_room, before_room };
enum class Reading : uint8_t {
    reserved_then_written_again,
    written_then_reserved,
    written_then_reserved_in_room
};
enum class Deaths : uint8_t { none, possible };

struct PublishedModel {
    Reservation reservation = Reservation::after_room;
    Reading reading = Reading::reserved_then_written_again;
    Deaths deaths = Deaths::none;
    uint8_t capacity = 2;
    uint8_t records_each = 2;

    enum ProducerAt : uint8_t { at_pause, at_room, at_reserve, at_fill, at_commit, at_end, at_death };
    enum DaemonAt : uint8_t {
        at_set_pause,
        at_read_written,
        at_read_reserved,
        at_end_read,
        at_clear_pause,
        at_take
    };

    struct Producer {
        uint8_t at, slot, left;
    };
    struct State {
        uint8_t reserved, written, beg_read, pause;
        std::array<Producer, 2> producers;
        uint8_t daemon, seen_written, end_read, died;
        std::array<uint8_t, 8> is_filled;
    };

    State first() const {
        State state{};
        for (Producer& producer : state.producers) producer = {at_pause, 0, records_each};
        return state;
    }

    bool is_end(const State& state) const {
        bool all_ended =
            std::ranges::all_of(state.producers, [](const Producer& p) { return p.at >= at_end; });
        return all_ended && state.beg_read == state.written;
    }

    template <class Found>
    void steps(const State& from, Found found) const {
        for (size_t i = 0; i < from.producers.size(); ++i) {
            produce(from, i, found);
            // Between reserve and commit.
            bool may_die = deaths == Deaths::possible && from.died == 0 && from.producers[i].at != at_pause &&
                           from.producers[i].at < at_end && holds_slot(from.producers[i]);
            if (!may_die) continue;
            State after = from;
            after.producers[i].at = at_death;
            after.died = 1;
            found(i == 0 ? "A dies" : "B dies", after, nullptr, Step::possible);
        }
        read(from, found);
    }

 private:
    bool holds_slot(const Producer& producer) const {
        return producer.at == at_fill || producer.at == at_commit ||
               (producer.at == at_room && reservation == Reservation::before_room);
    }

    template <class Found>
    void produce(const State& from, size_t i, Found found) const {
        State after = from;
        Producer& producer = after.producers[i];
        bool reserve_first = reservation == Reservation::before_room;
        auto go = [&](const char* a, const char* b, uint8_t to, const char* broken = nullptr) {
            producer.at = to;
            found(i == 0 ? a : b, after, broken, Step::sure);
        };
        switch (producer.at) {
            case at_pause:
                if (!from.pause) go("A passes PAUSE", "B passes PAUSE", reserve_first ? at_reserve : at_room);
                break;
            case at_room: {
                uint8_t end = reserve_first ? producer.slot : from.reserved;
                if (end - from.beg_read < capacity)
                    go("A has room", "B has room", reserve_first ? at_fill : at_reserve);
                break;
            }
            case at_reserve:
                producer.slot = after.reserved++;
                go("A reserves", "B reserves", reserve_first ? at_room : at_fill);
                break;
            case at_fill: {
                bool is_free = producer.slot < from.beg_read + capacity;
                after.is_filled[producer.slot] = 1;
                go("A fills", "B fills", at_commit, is_free ? nullptr : "overrun");
                break;
            }
            case at_commit:
                ++after.written;
                --producer.left;
                go("A commits", "B commits", producer.left == 0 ? at_end : at_pause);
                break;
            default:
                break;
        }
    }

    template <class Found>
    void read(const State& from, Found found) const {
        State after = from;
        auto go = [&](const char* step, uint8_t to, const char* broken = nullptr) {
            after.daemon = to;
            found(step, after, broken, Step::sure);
        };
        switch (from.daemon) {
            case at_set_pause:
                after.pause = 1;
                go("daemon sets PAUSE", at_read_written);
                break;
            case at_read_written:
                after.seen_written = from.written;
                go("daemon reads written", at_read_reserved);
                break;
            case at_read_reserved: {
                uint8_t reserved = from.reserved;
                if (reading == Reading::written_then_reserved_in_room)
                    reserved = std::min<uint8_t>(reserved, from.beg_read + capacity);
                after.end_read = from.seen_written;
                DaemonAt equal =
                    reading == Reading::reserved_then_written_again ? at_end_read : at_clear_pause;
                go("daemon reads reserved", from.seen_written == reserved ? equal : at_read_written);
                break;
            }
            case at_end_read:
                after.end_read = from.written;
                go("daemon reads written again", at_clear_pause);
                break;
            case at_clear_pause:
                after.pause = 0;
                go("daemon clears PAUSE", at_take);
                break;
            default: {
                bool all_filled = true;
                for (uint8_t slot = from.beg_read; slot < from.end_read; ++slot)
                    all_filled = all_filled && from.is_filled[slot];
                after.beg_read = from.end_read;
                go("daemon takes", at_set_pause, all_filled ? nullptr : "takes an unfilled slot");
            }
        }
    }
};

}  // namespace ovni::test
