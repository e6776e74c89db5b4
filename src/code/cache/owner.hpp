// Whether code belongs to the program or to the tracer, and for which of the two it works.
#pragma once

#include <cstdint>

namespace ovni::code {

enum class Owner : uint8_t {
    program,
    tracer
};  // each with its libraries; other libraries belong to the program

// For whom a piece of translated code works, and what is observed in it.
enum class Work : uint8_t {
    program,   // instructions count, sites are reported
    searched,  // as `program`, and alarms search the instructions
    tracer     // our libraries, and functions that they call for their own work: nothing is observed
};

}  // namespace ovni::code
