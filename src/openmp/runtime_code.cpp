#include "openmp/runtime_code.hpp"

#include <unwind.h>

#include <atomic>
#include <cstdint>

#include "core/loaded_library.hpp"

namespace ovni::openmp {

namespace {

std::atomic<uintptr_t> begin{0}, size{0};

struct Walk {
    bool is_in_runtime = false;
    const void* caller = nullptr;
};

_Unwind_Reason_Code step(_Unwind_Context* frame, void* what) {
    auto& walk = *static_cast<Walk*>(what);
    const auto* address = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
    const bool is_in_runtime = is_runtime_code(address);
    if (walk.is_in_runtime && !is_in_runtime) {
        walk.caller = address;
        return _URC_END_OF_STACK;
    }
    walk.is_in_runtime = is_in_runtime;
    return _URC_NO_REASON;
}

}  // namespace

void note_runtime_code(const void* code) noexcept {
    const LoadedLibrary library = LoadedLibrary::at(code);
    size.store(library.size(), std::memory_order_relaxed);
    begin.store(reinterpret_cast<uintptr_t>(library.begin()), std::memory_order_relaxed);
}

bool is_runtime_code(const void* address) noexcept {
    return reinterpret_cast<uintptr_t>(address) - begin.load(std::memory_order_relaxed) <
           size.load(std::memory_order_relaxed);
}

const void* caller_of_runtime() noexcept {
    Walk walk;
    _Unwind_Backtrace(step, &walk);
    return walk.caller;
}

}  // namespace ovni::openmp
