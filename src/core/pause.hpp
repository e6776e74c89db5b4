// A hint to the processor that this thread waits for another one.
#pragma once

namespace ovni {

inline void pause_briefly() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

}  // namespace ovni
