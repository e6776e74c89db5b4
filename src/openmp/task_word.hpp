// The word that the runtime keeps for the tool with each task: its number in the process, the place that made
// it, and whether it has run before. A task that has run before may continue in another thread.
#pragma once

#include <cstdint>

#include "openmp/ompt.hpp"
#include "openmp/places.hpp"

namespace ovni::openmp {

struct TaskWord {
    uint32_t number = 0;  // 0: the task was made before the tool was loaded
    CodePlace place = 0;
    bool has_run = false;

    static TaskWord in(const ompt::Data* data) noexcept {
        if (!data) return {};
        return {static_cast<uint32_t>(data->value >> 32),
                static_cast<CodePlace>(data->value & UINT32_MAX) >> 1, (data->value & 1) != 0};
    }
    void keep_in(ompt::Data* data) const noexcept {
        data->value = uint64_t{number} << 32 | uint64_t{place} << 1 | (has_run ? 1 : 0);
    }
};

}  // namespace ovni::openmp
