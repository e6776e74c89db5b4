// The hooks of all models.
#include <span>

#include "base/error.hpp"
#include "emu/dispatch.hpp"

namespace ovni {

std::span<const Hook> ovni_hooks();

HookFunction find_hook(EventCode code) {
    for (std::span<const Hook> hooks : {ovni_hooks()})
        for (const Hook& hook : hooks)
            if (hook.code == code) return hook.run;
    throw Error(fmt::format("event {} has no hook", code.text().data()));
}

}  // namespace ovni
