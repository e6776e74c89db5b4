// The OMPT tool: an OpenMP runtime that has this interface calls ompt_start_tool() when it begins, and then
// our callbacks.
#include "openmp/tool.hpp"

#include "openmp/mode.hpp"
#include "openmp/runtime_code.hpp"
#include "openmp/runtimes.hpp"

namespace ovni::openmp {

namespace {

int initialize(ompt::Lookup lookup, int, ompt::Data*) {
    auto set_callback = reinterpret_cast<ompt::SetCallback>(lookup("ompt_set_callback"));
    if (!set_callback) return 0;
    const auto* code = reinterpret_cast<const void*>(lookup);
    set_ompt_runtime(know_runtime(code));
    note_runtime_code(code);
    for (std::span<const Callback> callbacks : {region_callbacks(), task_callbacks(), wait_callbacks()})
        for (const Callback& callback : callbacks) set_callback(callback.number, callback.function);
    return 1;
}

void finalize(ompt::Data*) {}

constinit ompt::StartToolResult tool{initialize, finalize, {}};

}  // namespace

}  // namespace ovni::openmp

#pragma GCC visibility push(default)

extern "C" ovni::openmp::ompt::StartToolResult* ompt_start_tool(unsigned /*omp_version*/,
                                                                const char* /*runtime*/) {
    using namespace ovni::openmp;
    return tool_is_wanted() ? &tool : nullptr;
}

#pragma GCC visibility pop
