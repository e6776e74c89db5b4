// A small file next to a ring: what the drainer must know of the stream besides its events. The traced
// process writes it anew whenever something changes, so the note outlives the process.
#pragma once

#include <cstdint>
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

// A number that metadata has under this name; 0 if there is none.
uint64_t number_in(const Json& ovni, const char* name);

}  // namespace ovni::writer
