// The place of a stream: its directory below the roots of the trace, from its owner's note next to the ring.
// A process in another namespace may have an equal pid, and so an equal place: then the stream steps aside. A
// stream in a temporary directory moves to the trace when it ends; if a ring continues it, it stays there.
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
    // `ended`: holds the process that uses each directory.
    StreamPlace(DrainedRing& ring, std::string note_path, EndedStreams& ended)
        : ring_(ring), note_path_(std::move(note_path)), ended_(ended) {}

    // Reads the note and finds a place that no other process uses. False if there is no note.
    bool find();
    // Call if the stream was moved to the trace when it ended, and continues there.
    void stay_in_trace();
    // True if the file was removed or truncated after it was written. It may come back to its place, and the
    // ring no longer has its events. False if the owner lives.
    bool is_lost() const;
    void make_directories() const;
    // Chooses a directory next to the place, because another process uses the place.
    void step_aside();
    // Removes files that an earlier run left there.
    void remove_old(std::initializer_list<const char*> names) const;
    void read_last_note();
    // Removes files that the owner made in the temporary directory although the stream stays in the trace.
    void remove_stray() const;
    bool is_in_trace() const { return note_.roots.temporary.empty(); }
    // Copies the stream to the trace and removes the original. False if not everything could be copied.
    bool move_to_trace();
    // Resets the state for another stream.
    void start_over() { stray_.clear(); }

    std::string path_of(const char* file) const { return note_.directory() + file; }
    std::string directory() const { return note_.directory(); }
    std::string directory_in_trace() const { return note_.roots.trace + note_.place; }
    // stream.json from the owner's note.
    const Json& metadata() const { return note_.metadata; }

 private:
    std::optional<StreamNote> read_note() const;
    bool is_of_others();

    DrainedRing& ring_;
    std::string note_path_;
    EndedStreams& ended_;
    StreamNote note_;
    std::string stray_;  // the root that the owner uses, if another
};

}  // namespace ovni::writer
