#include "messages/waits/object_collectives.hpp"

#include <vector>

#include "messages/waits/collective_flow.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

// Above the numbers of persistent requests.
constexpr unsigned bits_of_turn = 28;

bool is_of_all_members(const ObjectCall& call) {
    return call.has_request == 0 && flow_of(call.function) == CollectiveFlow::members;
}

CollectiveEnd end_of(const ObjectCall& call, const MpiObject& object, uint32_t turn) {
    CollectiveEnd end;
    end.communicator = object.communicator_id;
    end.scope = object.scope;
    end.turn = turn;
    end.enter = end.wait_begin = call.enter;
    end.leave = end.wait_end = call.leave;
    end.sent = call.bytes;
    end.received = call.result;
    end.offset = call.offset;
    end.stream = end.completed_in = call.stream;
    end.size = object.size;
    end.root = OVNI_MPI_ANY;
    end.rank = object.rank;
    end.function = end.completed_by = call.function;
    end.behind_gap = call.behind_gap;
    end.made = static_cast<uint32_t>(object.kind) << bits_of_turn | object.turn;
    return end;
}

}  // namespace

Collectives collectives_of_objects(const FoundObjects& found) {
    Collectives all;
    std::vector<uint32_t> turns(found.objects.size());
    for (const ObjectCall& call : found.calls)
        if (is_of_all_members(call))
            all.push_back(end_of(call, found.objects[call.object], ++turns[call.object]));
    return all;
}

bool is_of_object(const CollectiveEnd& end) {
    return end.made >> bits_of_turn != 0;
}

}  // namespace ovni
