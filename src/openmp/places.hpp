// The places in the code that the program's OpenMP constructs stand at, numbered for the whole process. Any
// thread, without locks. A place is for good; there are at most `most_places`, further ones have number 0.
#pragma once

#include <cstdint>

namespace ovni::openmp {

using CodePlace = uint32_t;  // from 1; 0: none

inline constexpr uint32_t most_places = 4096;

// The construct at a place: its label begins with a word that says so. The address is where a call of the
// runtime returns to; of kinds that end with `_function`, where the outlined function begins.
enum class Construct : uint8_t {
    region,
    region_function,
    task,
    task_function,
    loop,
    sections,
    single,
    workshare,
    distribute,
    scope,
    taskloop
};

CodePlace place_of(const void* address, Construct construct) noexcept;
const void* address_of(CodePlace place) noexcept;
// Lives as long as the process. Slow the first time.
const char* label_of(CodePlace place) noexcept;

}  // namespace ovni::openmp
