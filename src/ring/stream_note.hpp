// A small file next to a ring with all that the drainer needs to know of the stream besides its events. The
// traced process writes it again at each change, so the note outlives the process. In a stream of ours the
// note omits the thread id, which is in the ring, because short-lived threads reuse a ring and its note.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ring/directories.hpp"
#include "ring/json_text.hpp"

namespace ovni::writer {

struct StreamNote {
    Roots roots;
    std::string place;  // below the roots: /loom.L/proc.P/thread.T, or without T
    Json metadata;      // stream.json as it would be now

    std::string directory() const { return roots.writing() + place; }
    void leave_thread_out();
    // Adds the thread id, unless the note has one.
    void name_thread(int tid);
    std::string text() const;
    static std::optional<StreamNote> read(const std::string& path);
};

// The number with this name in the metadata; 0 if there is none.
uint64_t number_in(const Json& ovni, const char* name);

}  // namespace ovni::writer
