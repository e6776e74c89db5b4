// The place of a stream: its directory below the roots of the trace, as its owner has noted it next to the
// ring. A process of another namespace may have the same number, and so the place: the stream then steps
// aside. A stream that is written to a temporary directory moves to the trace when it ends, and a ring that
// goes on with it stays there.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "drain/drained_ring.hpp"
#include "drain/ended_streams.hpp"
#include "ring/stream_note.hpp"

namespace ovni::writer {

class StreamPlace {
 public:
    // `ended`: knows who uses which directory.
    StreamPlace(DrainedRing& ring, std::string note_path, EndedStreams& ended)
        : ring_(ring), note_path_(std::move(note_path)), ended_(ended) {}

    // Reads the note and finds a place that is nobody else's. False if there is no note.
    bool find();
    // The stream was moved to the trace when it ended: it goes on there.
    void stay_in_trace();
    // The file was removed, or cut off, after it was written: it may come back to its place, and the ring has
    // forgotten its events. A living owner goes on.
    bool is_lost() const;
    void make_directories() const;
    // Another process has the place: the stream lies next to it from now on.
    void step_aside();
    // Removes files that an earlier run left there.
    void remove_old(std::initializer_list<const char*> names) const;
    void read_last_note();
    // The owner of a stream that stays in the trace has made files in the temporary directory.
    void remove_stray() const;
    bool is_in_trace() const { return note_.roots.temporary.empty(); }
    // False if not everything could be copied; else what is left behind is gone.
    bool move_to_trace();
    // Another stream comes.
    void start_over() { stray_.clear(); }

    std::string path_of(const char* file) const { return note_.directory() + file; }
    std::string directory() const { return note_.directory(); }
    std::string directory_in_trace() const { return note_.roots.trace + note_.place; }
    // stream.json as the owner has noted it.
    const Json& metadata() const { return note_.metadata; }

 private:
    std::optional<StreamNote> read_note() const;
    bool is_of_others();

    DrainedRing& ring_;
    std::string note_path_;
    EndedStreams& ended_;
    StreamNote note_;
    std::string stray_;  // the root where the owner thinks that its files are
};

}  // namespace ovni::writer
