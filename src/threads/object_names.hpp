// Names of objects: a variable of the program has that of its symbol, with a distance if it begins earlier;
// without a symbol, the distance in its file. Objects on the heap and on stacks have none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ovni::threads {

inline constexpr size_t longest_name = 255;

// Writes the name and a zero, at most longest_name + 1 bytes; returns its length. Reads a file at its first
// object; an error gives no name. Names of C++ stay mangled.
size_t name_object(const void* object, char* name) noexcept;

// The tid of a thread and the name that it has, if that is not the program's: "thread 4711 reader". None for
// the tid 0.
size_t name_thread(const void* handle, int32_t tid, char* name) noexcept;

}  // namespace ovni::threads
