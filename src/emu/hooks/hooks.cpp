// The hooks of all models.
#include <span>

#include "base/error.hpp"
#include "emu/dispatch.hpp"

namespace ovni {

std::span<const Hook> counters_hooks();
std::span<const Hook> kernel_hooks();
std::span<const Hook> mpi_hooks();
std::span<const Hook> nosv_hooks();
std::span<const Hook> openmp_hooks();
std::span<const Hook> ovni_hooks();
std::span<const Hook> pthread_hooks();
std::span<const Hook> task_hooks();

HookFunction find_hook(EventCode code) {
    for (std::span<const Hook> hooks : {counters_hooks(), kernel_hooks(), mpi_hooks(), nosv_hooks(),
                                        openmp_hooks(), ovni_hooks(), pthread_hooks(), task_hooks()})
        for (const Hook& hook : hooks)
            if (hook.code == code) return hook.run;
    throw Error(fmt::format("event {} has no hook", code.text().data()));
}

}  // namespace ovni
