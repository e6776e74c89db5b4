// Names of objects. An object in a variable has the name of the variable's symbol, plus an offset if it lies
// inside. Without a symbol, the name is the file and the offset in it. Objects on the heap and on stacks have
// none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ovni::threads {

inline constexpr size_t longest_name = 255;

// Writes the name and a zero, at most longest_name + 1 bytes; returns its length. Reads a file at its first
// object; after an error there is no name. C++ names stay mangled.
size_t name_object(const void* object, char* name) noexcept;

// Writes the tid of a thread and its name, unless that is the program's: "thread 4711 reader". Writes none
// for the tid 0.
size_t name_thread(const void* handle, int32_t tid, char* name) noexcept;

}  // namespace ovni::threads
