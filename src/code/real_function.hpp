// The real function, of the C library or of a library of the program, that our function of that name
// replaces.
#pragma once

#include <atomic>

#include "core/loaded_library.hpp"

namespace ovni::code {

// Found when it is first called: constructors of other libraries may come before ours.
template <class Function>
Function* real_function(const char* name, std::atomic<void*>& known) noexcept {
    void* found = known.load(std::memory_order_relaxed);
    if (found == nullptr) known.store(found = LoadedLibrary::next_function(name), std::memory_order_relaxed);
    return reinterpret_cast<Function*>(found);
}

}  // namespace ovni::code

#define OVNI_REAL(name)                                                   \
    ([]() noexcept {                                                      \
        static constinit std::atomic<void*> known{nullptr};               \
        return ovni::code::real_function<decltype(::name)>(#name, known); \
    }())
