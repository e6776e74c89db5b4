// Brings memory into the cache that will be read soon.
#pragma once

namespace ovni {

// The empty statement keeps it alive: GCC takes a function that does nothing but fetch for one without
// effects, and leaves out its calls.
[[gnu::always_inline]] inline void prefetch(const void* at) {
    __builtin_prefetch(at);
    __asm__ volatile("");
}

}  // namespace ovni
