// Fetches memory into the cache that will be read soon.
#pragma once

namespace ovni {

// The empty statement is needed: GCC removes calls of a function that only prefetches, as free of effects.
[[gnu::always_inline]] inline void prefetch(const void* at) {
    __builtin_prefetch(at);
    __asm__ volatile("");
}

}  // namespace ovni
