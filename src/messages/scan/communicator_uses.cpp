#include "messages/scan/communicator_uses.hpp"

#include "calls/call_reader.hpp"
#include "calls/mpi_functions.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

void CommunicatorUses::entered(const CallThread& caller) {
    const Call& call = caller.call;
    if (is_init(*call.function)) init_.push_back({caller.stream, call.enter});
    if (call.function->record != MpiRecord::Collective) return;
    if (call.object == OVNI_MPI_NO_OBJECT || call.object == OVNI_MPI_WORLD) return;
    const auto [known, is_new] = first_.try_emplace(call.object);
    if (!is_new) return;
    CommunicatorUse& use = known->second;
    use.clock = call.enter;
    use.offset = call.offset;
    use.stream = caller.stream;
    use.process = process_;
    use.number = call.object;
}

void CommunicatorUses::finished() {
    for (auto& [number, use] : first_) {
        const CommunicatorFacts* known = reader().communicators().find(number);
        if (number == OVNI_MPI_SELF)
            use.id = OVNI_MPI_SELF;
        else if (known && (known->flags & OVNI_MPI_BY_USE) == 0) {
            use.id = known->id;
            use.flags = known->flags;
            use.rank = known->rank;
        }
        if (use.id != 0) uses_.push_back(use);
    }
}

}  // namespace ovni
