// Lines that follow from a placement event of a thread that shares CPUs with threads of other emulators. All
// of these emulators apply the event, and each makes the lines that it writes at that time: the channels of a
// CPU row are written by the emulator whose thread it shows, or, if it shows none, by the home of the CPU,
// which also writes the row's own values. So what an event brings comes from several emulators, and is put
// together here.
//
// The emulator that plays the event in its stream leaves a marker among its records for each step of it, and
// one among its changes of breakdowns. The steps are counted by all alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "emu/records/record.hpp"
#include "emu/records/record_buffer.hpp"
#include "emu/state/breakdown_values.hpp"

namespace ovni {

// A row that passes to another emulator: the old one tells what the row showed, the new one what it shows
// now. Both lie side by side in the end, and what did not change makes no line.
enum class SharedLineKind : uint8_t { line, before, after, after_if_changed };

struct SharedLine {
    Record record;       // of the value of a breakdown: its type is the place in Plan::breakdowns
    uint32_t event = 0;  // how many placement events its stream had before
    uint16_t step = 0;
    uint16_t channel = 0;  // in Plan::channels, or breakdowns; 0 for values of the row itself
    SharedLineKind kind = SharedLineKind::line;

    Moment moment() const { return record.moment(); }
};
static_assert(sizeof(SharedLine) == 48 && std::is_trivially_copyable_v<SharedLine>);

// The lines that one emulator makes, in the order of events.
class SharedLines {
 public:
    // A placement event of a thread: how many it had before; is it played here, or followed?
    void begin_event(uint32_t number, bool is_followed) {
        event_ = number;
        step_ = 0;
        event_is_ = is_followed ? EventIs::followed : EventIs::played;
    }
    uint32_t event() const { return event_; }
    bool is_followed() const { return event_is_ == EventIs::followed; }
    bool is_played() const { return event_is_ == EventIs::played; }
    void end_event() { event_is_ = EventIs::none; }
    // The next step of the event. If it is played here, its marker goes into the records.
    void begin_step() { ++step_; }
    Record marker(Moment moment) const;
    // If the event is played here, it goes into the changes of breakdowns.
    BreakdownChange change_marker(Moment moment) const;
    void add(const Record& line, uint16_t channel, SharedLineKind kind) {
        lines_.push_back({line, event_, step_, channel, kind});
    }
    // A row that is written here had or has that value in a breakdown.
    void add_value(Moment moment, uint16_t breakdown, SharedLineKind kind, int64_t value);

    struct Size {
        size_t lines, values;
    };
    Size size() const { return {lines_.size(), values_.size()}; }
    // Drops what the event at hand has added. False if that is no placement event.
    bool rewind(Size size);
    // Those so far; whoever takes them empties it.
    std::vector<SharedLine>& lines() { return lines_; }
    std::vector<SharedLine>& values() { return values_; }

 private:
    enum class EventIs : uint8_t { none, played, followed };

    std::vector<SharedLine> lines_, values_;
    uint32_t event_ = 0;
    uint16_t step_ = 0;
    EventIs event_is_ = EventIs::none;
};

// Puts the lines of all emulators, which come by (time, order), in place of the markers in `records`, which
// are those of all emulators, too. Lines without a marker are dropped: their event was refused. The memory of
// `room` is used, its contents are not.
void place_shared_lines(std::span<SharedLine> lines, RecordBuffer& records, RecordBuffer& room);
// Puts the values of breakdowns in place of the markers in `changes`, in the same way.
void place_shared_values(std::span<SharedLine> values, std::vector<BreakdownChange>& changes);

}  // namespace ovni
