// Whose code lies in a file, and for whom it works.
#pragma once

#include <cstdint>

namespace ovni::code {

enum class Owner : uint8_t { program, tracer };  // each with its libraries; all others are of the program

// For whom a piece of translated code works, and what is looked at meanwhile.
enum class Work : uint8_t {
    program,   // instructions count, sites are reported
    searched,  // likewise, and alarms look for instructions
    tracer     // of our libraries, and of functions that they call for themselves: nothing of that
};

}  // namespace ovni::code
