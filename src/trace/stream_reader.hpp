// Forward cursor over the events of one stream. Maps the file when it is made; every event handed out lies
// completely inside the file. Damage is thrown as Error with file and byte offset, after all events before it
// were handed out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "trace/event_view.hpp"

namespace ovni {

// Emulation needs clocks that never decrease; ovnidump, ovnitop and ovnisort take what there is.
enum class ClockOrder { checked, any };

struct StreamSource {
    std::filesystem::path directory;  // holds stream.obs, and stream.gaps.json where recording had gaps
    uint32_t index = 0;               // of the stream in its trace
    int64_t clock_offset = 0;         // ns, added to every raw clock
    ClockOrder order = ClockOrder::checked;
    bool ended_by_force = false;  // hand out Kind::cut after the last event, if there is any
};

class StreamReader {
 public:
    // Throws Error where the file is missing, empty, shorter than its header, or has another magic or
    // version.
    explicit StreamReader(StreamSource source);

    // Goes to the next event; false at the end of the stream. Throws Error at an event that does not fit into
    // the file, and, with ClockOrder::checked, at a clock below its predecessor's (the first: below 0).
    bool next();
    // The current event: valid after next() returned true.
    const EventView& event() const { return event_; }
    // Corrected clock of the first event, without going there; nothing where there is none or it does not
    // fit.
    std::optional<int64_t> first_clock() const;
    uint32_t index() const { return source_.index; }
    // Bytes of events in the file, and how many of them were handed out.
    uint64_t size() const;
    uint64_t consumed() const;

 private:
    bool next_event();

    StreamSource source_;
    std::string path_;
    MappedFile file_;
    std::vector<Gap> gaps_;
    size_t gap_ = 0;       // the next gap to hand out
    bool in_gap_ = false;  // its beginning was handed out
    uint64_t at_ = 0;      // offset of the event after the current one
    int64_t last_clock_ = 0;
    EventView event_;
};

}  // namespace ovni
