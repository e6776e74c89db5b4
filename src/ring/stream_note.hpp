// A small file next to a ring: what the drainer must know of the stream besides its events. The traced
// process writes it anew whenever something changes, so the note outlives the process. That of a stream of
// ours leaves out the number of the thread, which the ring has: short threads use a ring, and its note, one
// after the other.
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
    // Without effect if the note names a thread.
    void name_thread(int tid);
    std::string text() const;
    static std::optional<StreamNote> read(const std::string& path);
};

// A number that metadata has under this name; 0 if there is none.
uint64_t number_in(const Json& ovni, const char* name);

}  // namespace ovni::writer
