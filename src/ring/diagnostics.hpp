// Messages on stderr. A mistake of the program ends it with FATAL; trouble of the system is reported once per
// kind, and the program goes on.
#pragma once

#include <cstddef>

namespace ovni::writer {

// Prints to descriptor 2 if it still is the stderr at loading, a terminal, or a file opened for appending.
// Any other file with that number is the program's, and nothing is printed.
[[gnu::cold]] void print(const char* text, size_t size) noexcept;

// "FATAL: function: message" and abort(). A message that ends in ':' is followed by the text of errno.
[[noreturn, gnu::cold, gnu::format(printf, 2, 3)]] void fatal(const char* function, const char* format,
                                                              ...) noexcept;

[[gnu::cold, gnu::format(printf, 1, 2)]] void warn(const char* format, ...) noexcept;

enum class Trouble {
    directory,
    open,
    write,
    metadata,
    move,
    memory,
    setting,
    limit,
    namesake,
    control,
    timeouts
};

// "ERROR: function: message" the first time that this kind of trouble occurs.
[[gnu::cold, gnu::format(printf, 3, 4)]] void complain(Trouble kind, const char* function, const char* format,
                                                       ...) noexcept;

}  // namespace ovni::writer
