// Hands out the events of several streams in canonical order: (corrected clock, stream index, position in the
// stream).
//
// Works in windows: every stream is decoded up to a common time, the entries are sorted stably by time, then
// handed out. The width of a window follows the density of events, so memory does not grow with the length of
// the trace. Damage that is found while decoding ahead is thrown when its turn comes: after the last good
// event of that stream and before any later one.
#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include "trace/stream_reader.hpp"

namespace ovni {

class Merger {
 public:
    // `readers` in any order, none of them advanced yet.
    explicit Merger(std::vector<StreamReader> readers);

    // The next event of all streams; nullptr at the end. Valid until the next call. Throws the Error of a
    // damaged stream in its place; `damaged_stream()` then tells which stream it was, and the events after it
    // are not handed out.
    const EventView* next();
    uint32_t damaged_stream() const { return damaged_stream_; }

    // Bytes of events: in all streams, and handed out so far (to the precision of a window).
    uint64_t size() const;
    uint64_t consumed() const;

 private:
    void fill();  // decodes and sorts the next window

    std::vector<StreamReader> readers_;
    uint32_t damaged_stream_ = 0;
};

}  // namespace ovni
