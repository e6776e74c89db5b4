// The places in the program's code where its OpenMP constructs are, numbered for the process. Any thread,
// without locks. A number is never reused. There are at most `most_places`; further places have number 0.
#pragma once

#include <cstdint>

namespace ovni::openmp {

using CodePlace = uint32_t;  // from 1; 0: none

inline constexpr uint32_t most_places = 4096;

// The kind of construct at a place, which begins its label. The address is a return address of a call of the
// runtime; for kinds that end with `_function`, the begin of the outlined function.
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
// The texts live as long as the process. Slow the first time. code_of: as write_code_place(); may be empty.
const char* label_of(CodePlace place) noexcept;
const char* code_of(CodePlace place) noexcept;

}  // namespace ovni::openmp
