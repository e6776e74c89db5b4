// The metadata of a stream whose owner cannot write its note any more, for example after setuid(). It is
// stored in the ring, behind the header, as compact JSON. The owner makes `late_note_changes` odd while it
// writes.
#pragma once

#include <optional>
#include <string>

#include "ring/json_text.hpp"
#include "ring/ring.hpp"

namespace ovni::writer {

// For the owner. Does nothing if there is no room.
void leave_late_note(const Ring& ring, const Json& metadata);
// For the owner, when it has written its note again.
void withdraw_late_note(const Ring& ring);

// For the drainer. Nothing if there is none, or if the owner died while it wrote.
std::optional<Json> late_note(const Ring& ring);

}  // namespace ovni::writer
