// The callbacks of the OMPT tool: one table per subject, registered by tool.cpp.
#pragma once

#include <span>

#include "openmp/ompt.hpp"

namespace ovni::openmp {

class Runtime;

struct Callback {
    int number;
    ompt::AnyFunction function;
};

template <class Function>
Callback callback_of(int number, Function* function) {
    return {number, reinterpret_cast<ompt::AnyFunction>(function)};
}

// Sets the runtime that started the tool, null if unknown: reported regions belong to it.
void set_ompt_runtime(const Runtime* runtime) noexcept;

std::span<const Callback> region_callbacks() noexcept;
std::span<const Callback> task_callbacks() noexcept;
std::span<const Callback> wait_callbacks() noexcept;

}  // namespace ovni::openmp
