// What the drainer knows of a ring's stream beside the events: a small file next to the ring, written anew by
// the traced process whenever something of it changes, so that it outlives the process.
#pragma once

#include <optional>
#include <string>

#include "ring/directories.hpp"
#include "ring/json_text.hpp"

namespace ovni::writer {

struct StreamNote {
    Roots roots;
    std::string place;  // below the roots: /loom.L/proc.P/thread.T
    Json metadata;      // stream.json as it would be now

    std::string directory() const { return roots.writing() + place; }
    bool write(const std::string& path) const;
    static std::optional<StreamNote> read(const std::string& path);
};

}  // namespace ovni::writer
