// Events as lines of text, for ovnidump:
//
//     %10d  CODE  PATH  TEXT        raw clock, code, relative path of the stream
//
// TEXT is the description of the event, or, in hexadecimal, a ":%02x" for every byte of the payload. A gap in
// a stream has a line at its beginning and one at its end, with the code `---`.
#pragma once

#include <fmt/format.h>

#include <set>

#include "trace/trace.hpp"

namespace ovni {

enum class PayloadText { described, hexadecimal };

class EventText {
 public:
    EventText(const Trace& trace, PayloadText payload) : trace_(trace), payload_(payload) {}
    // Appends one line. An event that no model knows is `UNKNOWN`; the first of each code is reported.
    void append(fmt::memory_buffer& text, const EventView& event);
    // Events with a lower clock than the one before them.
    uint64_t backwards() const { return backwards_; }

 private:
    void append_payload(fmt::memory_buffer& text, const EventView& event);
    void append_description(fmt::memory_buffer& text, const EventView& event);

    const Trace& trace_;
    PayloadText payload_;
    int64_t last_clock_ = INT64_MIN;
    uint64_t backwards_ = 0;
    std::set<uint32_t> unknown_;
};

// The three characters of a code, with '?' for what cannot be printed.
std::string printable(EventCode code);

}  // namespace ovni
