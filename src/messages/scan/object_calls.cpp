#include "messages/scan/object_calls.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "calls/call_reader.hpp"
#include "calls/mpi_functions.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

std::string text_of(std::span<const uint8_t> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return std::string(text.substr(0, text.find('\0')));
}

}  // namespace

void ObjectCalls::left(const CallThread& caller, const Return& result) {
    const Call& call = caller.call;
    complete(caller, result.clock);
    if (!uses_object(*call.function)) return;
    if (call.function->record == MpiRecord::OneSided && !result.bytes) return;  // the call failed
    const bool makes = makes_object(*call.function);
    const auto object = objects_.find(makes ? result.object : call.object);
    if (object == objects_.end()) return;
    if (makes) found_.objects[object->second].is_made = 1;
    ObjectCall found;
    found.enter = call.enter;
    found.leave = found.complete = result.clock;
    found.bytes = call.sent;
    found.result = result.bytes.value_or(0);
    found.offset = call.offset;
    found.stream = caller.stream;
    found.object = object->second;
    found.target = call.root;
    found.function = index_of(*call.function);
    found.behind_gap = is_behind_gap_;
    if (result.transfer) {
        found.has_request = 1;
        found.complete = ObjectCall::never;
        result.transfer->transfer = static_cast<uint32_t>(found_.calls.size());
    }
    found_.calls.push_back(found);
}

void ObjectCalls::abandoned(const CallThread& caller, int64_t clock, Abandoned why) {
    if (why == Abandoned::by_leave)
        complete(caller, clock);
    else
        completed_.erase(caller.stream);
}

void ObjectCalls::complete(const CallThread& caller, int64_t clock) {
    const auto completed = completed_.find(caller.stream);
    if (completed == completed_.end()) return;
    for (const uint32_t call : completed->second) found_.calls[call].complete = clock;
    completed_.erase(completed);
}

void ObjectCalls::ended(const CallThread& caller, const Request& request, uint32_t how) {
    if (request.transfer != Request::no_transfer && how == OVNI_MPI_COMPLETED && caller.call.function)
        completed_[caller.stream].push_back(request.transfer);
}

void ObjectCalls::transferred(uint32_t transfer, uint64_t bytes) {
    found_.calls[transfer].result = bytes;
}

// Pauses do not count these calls.
void ObjectCalls::interrupted(const CallThread& /*caller*/, const EventView& /*event*/, bool /*is_counted*/) {
    is_behind_gap_ = true;
}

void ObjectCalls::described(const EventView& event, std::span<const uint8_t> data) {
    if (event.code == OVNI_MPI_OBJECT) define(data);
    if (event.code == OVNI_MPI_NAME) name(data);
}

// Every stream that uses an object describes it.
void ObjectCalls::define(std::span<const uint8_t> data) {
    struct {
        uint32_t number, kind, communicator;
    } described;
    if (data.size() < sizeof described) return;
    std::memcpy(&described, data.data(), sizeof described);
    if (described.kind != OVNI_MPI_WINDOW && described.kind != OVNI_MPI_FILE) return;
    if (objects_.contains(described.number)) return;
    MpiObject object;
    object.kind = static_cast<ObjectKind>(described.kind);
    object.process = caller_.process;
    object.communicator = described.communicator;
    const CommunicatorFacts* communicator = reader().communicators().find(described.communicator);
    if (!communicator || (communicator->flags & OVNI_MPI_BY_USE) == 0)
        object.communicator_id = reader().communicators().id_of(described.communicator);
    if (communicator) {
        object.rank = communicator->rank;
        object.size = communicator->size;
    }
    if (described.communicator == OVNI_MPI_WORLD) {
        object.scope = caller_.world + 1;
        object.size = caller_.world_size;
    }
    if (described.communicator == OVNI_MPI_SELF) {
        object.scope = caller_.process + 1;
        object.size = 1;
    }
    const auto is_before = [&](const auto& known) {
        const MpiObject& other = found_.objects[known.second];
        return other.kind == object.kind && other.communicator == object.communicator;
    };
    object.turn = static_cast<uint32_t>(std::ranges::count_if(objects_, is_before)) + 1;
    object.name = text_of(data.subspan(sizeof described));
    objects_[described.number] = static_cast<uint32_t>(found_.objects.size());
    found_.objects.push_back(std::move(object));
}

void ObjectCalls::name(std::span<const uint8_t> data) {
    uint32_t number = 0;
    if (data.size() <= sizeof number) return;
    std::memcpy(&number, data.data(), sizeof number);
    if (const auto known = objects_.find(number); known != objects_.end())
        found_.objects[known->second].name = text_of(data.subspan(sizeof number));
}

}  // namespace ovni
