#include "runtime/gate.hpp"

namespace ovni {

constinit Immortal<Gate> the_gate;

ChangeOutcome Gate::change(Recording to, Stream*, uint64_t*) noexcept {
    return state_.exchange(to) == to ? ChangeOutcome::was_so : ChangeOutcome::done;
}

}  // namespace ovni
