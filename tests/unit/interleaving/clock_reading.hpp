// read_clock() of ovni/tsc_clock.hpp against ClockPublisher, step by step, as a model: a reader that takes a
// guess of the segment, a reading and the checks behind it, while a writer publishes segments in a ring of
// two slots and time goes on. The processor may take the reading at any step before the length is loaded.
// Mistakes can be put in, to see that the model would show them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tests/unit/interleaving/explore.hpp"

namespace ovni::test {

enum class ClockMistake : uint8_t {
    none,
    length_before_reading,
    index_loaded_once,
    index_before_length,
    end_unchecked  // the writer does not look whether an announced end is still ahead
};

struct ClockReadingModel {
    ClockMistake mistake = ClockMistake::none;
    uint8_t latest_tsc = 5;

    static constexpr uint8_t ring = 2, segments = 4, open = 254, none = 255;
    enum WriterAt : uint8_t {
        choose_start,
        fill_start,
        fill_length,
        fill_ns,
        fill_multiplier,
        announce,
        check_time,
        confirm,
        advance,
        writer_ends
    };
    enum ReaderAt : uint8_t {
        load_index,
        load_start,
        load_ns,
        load_multiplier,
        load_first_check,
        load_second_check,
        decide,
        reader_ends
    };

    // Every part with the number of its segment.
    struct Slot {
        uint8_t start, start_of, length, ns_of, multiplier_of;
    };
    struct Writer {
        uint8_t at, start, in_time;
    };
    struct Reader {
        uint8_t at, index, index_again, start, start_of, ns_of, multiplier_of, length, t;
    };
    struct State {
        std::array<Slot, ring> slots;
        std::array<uint8_t, segments> ends;  // once confirmed
        uint8_t tsc, index, accepted_t, accepted;
        Writer writer;
        Reader reader;
    };

    State first() const {
        State state{};
        state.slots[0].length = open;
        state.ends.fill(none);
        state.accepted = none;
        state.reader.t = none;
        return state;
    }

    bool is_end(const State& state) const { return state.reader.at == reader_ends; }

    template <class Found>
    void steps(const State& from, Found found) const {
        if (from.reader.at == reader_ends && from.accepted == none) return;
        if (from.tsc < latest_tsc) {
            State after = from;
            ++after.tsc;
            found("time passes", after, nullptr, Step::sure);
        }
        if (from.writer.at != writer_ends) write(from, found);
        if (from.reader.at != reader_ends) read(from, found);
    }

 private:
    bool length_is_early() const { return mistake == ClockMistake::length_before_reading; }

    template <class Found>
    void write(const State& from, Found found) const {
        State after = from;
        Writer& writer = after.writer;
        Slot& current = after.slots[from.index % ring];
        auto next = static_cast<uint8_t>(from.index + 1);
        Slot& slot = after.slots[next % ring];
        auto go = [&](const char* step, uint8_t to, const char* broken = nullptr) {
            writer.at = to;
            found(step, after, broken, Step::sure);
        };
        switch (writer.at) {
            case choose_start: {
                auto start = static_cast<uint8_t>(std::max(from.tsc, current.start) + 1);
                if ((start - current.start) % 2 == 0) ++start;
                writer.start = start;
                bool goes_on = start <= latest_tsc && next < segments;
                go("writer chooses a start", goes_on ? fill_start : writer_ends);
                break;
            }
            case fill_start:
                slot.start = writer.start;
                slot.start_of = next;
                go("writer fills the start", fill_length);
                break;
            case fill_length:
                slot.length = open;
                go("writer fills the length", fill_ns);
                break;
            case fill_ns:
                slot.ns_of = next;
                go("writer fills ns", fill_multiplier);
                break;
            case fill_multiplier:
                slot.multiplier_of = next;
                go("writer fills the multiplier", announce);
                break;
            case announce:
                current.length = static_cast<uint8_t>(writer.start - current.start - 1);
                go("writer announces the end", check_time);
                break;
            case check_time:
                writer.in_time = from.tsc < writer.start || mistake == ClockMistake::end_unchecked;
                go("writer looks at the time", confirm);
                break;
            case confirm: {
                if (!writer.in_time) {
                    current.length = open;
                    go("writer takes the end back", choose_start);
                    break;
                }
                current.length = static_cast<uint8_t>(writer.start - current.start);
                after.ends[from.index] = writer.start;
                bool was_passed = from.accepted == from.index && from.accepted_t >= writer.start;
                go("writer confirms the end", advance, was_passed ? "an end before a reading" : nullptr);
                break;
            }
            default:
                after.index = next;
                go("writer moves the index", choose_start);
        }
    }

    template <class Found>
    void read(const State& from, Found found) const {
        if (from.reader.t == none && from.reader.at <= load_first_check) {
            State after = from;
            after.reader.t = from.tsc;
            found("reader takes t", after, nullptr, Step::sure);
        }
        State after = from;
        Reader& reader = after.reader;
        const Slot& slot = from.slots[reader.index % ring];
        auto go = [&](const char* step, uint8_t to, const char* broken = nullptr) {
            reader.at = to;
            found(step, after, broken, Step::sure);
        };
        auto check_length = [&](uint8_t to) {
            reader.length = slot.length;
            go("reader loads the length", to);
        };
        auto check_index = [&](uint8_t to) {
            reader.index_again = mistake == ClockMistake::index_loaded_once ? reader.index : from.index;
            go("reader loads the index again", to);
        };
        bool index_is_first = mistake == ClockMistake::index_before_length;
        switch (reader.at) {
            case load_index:
                reader.index = from.index;
                go("reader loads the index", load_start);
                break;
            case load_start:
                reader.start = slot.start;
                reader.start_of = slot.start_of;
                go("reader loads the start", load_ns);
                break;
            case load_ns:
                reader.ns_of = slot.ns_of;
                go("reader loads ns", load_multiplier);
                break;
            case load_multiplier:
                reader.multiplier_of = slot.multiplier_of;
                go("reader loads the multiplier", load_first_check);
                break;
            case load_first_check:
                if (reader.t == none && !length_is_early()) break;
                index_is_first ? check_index(load_second_check) : check_length(load_second_check);
                break;
            case load_second_check:
                if (reader.t == none) {
                    reader.t = from.tsc;
                    found("reader takes t", after, nullptr, Step::sure);
                    break;
                }
                index_is_first ? check_length(decide) : check_index(decide);
                break;
            default:
                judge(from, go, after);
        }
    }

    template <class Go>
    void judge(const State& from, Go go, State& after) const {
        const Reader& reader = from.reader;
        bool holds = reader.t >= reader.start && reader.t - reader.start < reader.length &&
                     reader.index_again == reader.index;
        if (!holds) return after = {}, after.accepted = none, go("reader takes the slow way", reader_ends);
        bool is_whole = reader.start_of == reader.ns_of && reader.start_of == reader.multiplier_of;
        bool is_over = reader.t >= from.ends[reader.start_of];
        after.accepted = reader.start_of;
        after.accepted_t = reader.t;
        after.reader = {};
        go("reader accepts", reader_ends,
           !is_whole ? "parts of two segments"
           : is_over ? "a reading behind the end"
                     : nullptr);
    }
};

}  // namespace ovni::test
