// Calls by which the program starts another program in a child that shares its memory.
#pragma once

namespace ovni::code {

// Call once. From then on the function is called with true before such a call, and with false after it.
void follow_spawning(void (*spawning)(bool begins)) noexcept;

}  // namespace ovni::code
