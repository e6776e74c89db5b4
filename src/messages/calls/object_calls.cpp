#include "messages/calls/object_calls.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "messages/calls/mpi_functions.hpp"
#include "ovni/format.h"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

using Record = MpiRecord;

constexpr Record with_objects[] = {Record::OneSided,  Record::Synchronisation, Record::Transfer,
                                   Record::FileUse,   Record::WindowMaker,     Record::WindowEnd,
                                   Record::FileMaker, Record::FileEnd};

bool uses_object(const MpiFunctionRow& function) {
    return std::ranges::find(with_objects, function.record) != std::end(with_objects);
}

// The leave names what the call has made.
bool makes_object(const MpiFunctionRow& function) {
    return function.record == Record::WindowMaker || function.record == Record::FileMaker;
}

std::string text_of(std::span<const uint8_t> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return std::string(text.substr(0, text.find('\0')));
}

}  // namespace

// Most events of MPI are none of objects: one look tells.
void ObjectCalls::take(const EventView& event) {
    if (event.kind != EventView::Kind::event) {
        forget(threads_[event.stream]);
        return;
    }
    if (event.code.model() != 'M') return;
    if (event.jumbo()) return take_jumbo(event);
    if (event.code.category() != 'X' && requests_.empty() && threads_that_complete_ == 0) return;
    const MpiEvent mpi(event.code, event.payload());
    Thread& thread = threads_[event.stream];
    switch (mpi.step()) {
        case MpiStep::enter:
            return enter(thread, event, mpi);
        case MpiStep::leave:
            return leave(thread, event, mpi);
        case MpiStep::request_ended:
            return end_request(thread, mpi);
        case MpiStep::bytes:
            if (thread.ended != UINT32_MAX) found_.calls[thread.ended].result = mpi.bytes().value_or(0);
            thread.ended = UINT32_MAX;
            return;
        default:
            return;
    }
}

void ObjectCalls::end_request(Thread& thread, const MpiEvent& mpi) {
    thread.ended = UINT32_MAX;
    const auto known = requests_.find(mpi.number(MpiField::request).value_or(0));
    if (known == requests_.end()) return;
    if (mpi.number(MpiField::how).value_or(OVNI_MPI_COMPLETED) == OVNI_MPI_COMPLETED) {
        thread.ended = known->second;
        threads_that_complete_ += thread.completed.empty();
        thread.completed.push_back(known->second);
    }
    requests_.erase(known);
}

void ObjectCalls::take_jumbo(const EventView& event) {
    const std::span<const uint8_t> data = event.payload().subspan(OVNI_FORMAT_JUMBO_SIZE);
    if (event.code == OVNI_MPI_OBJECT) define(data);
    if (event.code == OVNI_MPI_NAME) name(data);
}

// Every stream that uses an object describes it.
void ObjectCalls::define(std::span<const uint8_t> data) {
    struct {
        uint32_t number, kind, communicator;
    } told;
    if (data.size() < sizeof told) return;
    std::memcpy(&told, data.data(), sizeof told);
    if (told.kind != OVNI_MPI_WINDOW && told.kind != OVNI_MPI_FILE) return;
    if (objects_.contains(told.number)) return;
    MpiObject object;
    object.kind = static_cast<ObjectKind>(told.kind);
    object.process = caller_.process;
    object.communicator = told.communicator;
    const CommunicatorFacts* communicator = communicators_.find(told.communicator);
    if (!communicator || (communicator->flags & OVNI_MPI_BY_USE) == 0)
        object.communicator_id = communicators_.id_of(told.communicator);
    if (communicator) object.rank = communicator->rank;
    if (told.communicator == OVNI_MPI_WORLD) object.scope = caller_.world + 1;
    if (told.communicator == OVNI_MPI_SELF) object.scope = caller_.process + 1;
    const auto is_before = [&](const auto& known) {
        const MpiObject& other = found_.objects[known.second];
        return other.kind == object.kind && other.communicator == object.communicator;
    };
    object.turn = static_cast<uint32_t>(std::ranges::count_if(objects_, is_before)) + 1;
    object.name = text_of(data.subspan(sizeof told));
    objects_[told.number] = static_cast<uint32_t>(found_.objects.size());
    found_.objects.push_back(std::move(object));
}

void ObjectCalls::name(std::span<const uint8_t> data) {
    uint32_t number = 0;
    if (data.size() <= sizeof number) return;
    std::memcpy(&number, data.data(), sizeof number);
    if (const auto known = objects_.find(number); known != objects_.end())
        found_.objects[known->second].name = text_of(data.subspan(sizeof number));
}

void ObjectCalls::enter(Thread& thread, const EventView& event, const MpiEvent& mpi) {
    forget(thread);
    thread.function = mpi.function();
    thread.call.enter = event.clock;
    if (!thread.function || !uses_object(*thread.function)) return;
    thread.object = mpi.number(MpiField::object).value_or(OVNI_MPI_NO_OBJECT);
    thread.call.target = mpi.rank(MpiField::root).value_or(OVNI_MPI_ANY);
    thread.call.bytes = mpi.bytes().value_or(0);
}

void ObjectCalls::leave(Thread& thread, const EventView& event, const MpiEvent& mpi) {
    for (const uint32_t call : thread.completed) found_.calls[call].complete = event.clock;
    if (thread.function && thread.function == mpi.function() && uses_object(*thread.function))
        add(thread, event, mpi);
    forget(thread);
}

void ObjectCalls::forget(Thread& thread) {
    threads_that_complete_ -= !thread.completed.empty();
    thread = {};
}

void ObjectCalls::add(Thread& thread, const EventView& event, const MpiEvent& mpi) {
    const Record record = thread.function->record;
    if (record == Record::OneSided && !mpi.bytes()) return;  // it has failed
    if (makes_object(*thread.function))
        thread.object = mpi.number(MpiField::object).value_or(OVNI_MPI_NO_OBJECT);
    const auto object = objects_.find(thread.object);
    if (object == objects_.end()) return;
    if (makes_object(*thread.function)) found_.objects[object->second].is_made = 1;
    ObjectCall call = thread.call;
    call.object = object->second;
    call.leave = call.complete = event.clock;
    call.result = mpi.bytes().value_or(0);
    call.stream = event.stream;
    call.function = index_of(*thread.function);
    if (const uint32_t request = mpi.number(MpiField::request).value_or(0); request != 0) {
        call.has_request = 1;
        call.complete = ObjectCall::never;
        requests_[request] = static_cast<uint32_t>(found_.calls.size());
    }
    found_.calls.push_back(call);
}

}  // namespace ovni
