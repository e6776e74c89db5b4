// The metadata of a stream whose owner may not write its note any more, as after setuid(). It stands in the
// ring, in the room behind its header, as compact JSON. The owner makes `late_note_changes` odd while it
// writes.
#pragma once

#include <optional>
#include <string>

#include "ring/json_text.hpp"
#include "ring/ring.hpp"

namespace ovni::writer {

// For the owner. Leaves nothing new if there is no room for it.
void leave_late_note(const Ring& ring, const Json& metadata);
// The owner has written its note again.
void withdraw_late_note(const Ring& ring);

// For the drainer. Nothing if there is none, or if the owner died while it wrote.
std::optional<Json> late_note(const Ring& ring);

}  // namespace ovni::writer
