#include "messages/calls/open_calls.hpp"

#include <algorithm>
#include <iterator>

#include "messages/calls/mpi_functions.hpp"
#include "ovni/format.h"

namespace ovni {

namespace {

using Record = MpiRecord;

constexpr const char* of_one_request[] = {"MPI_Wait"};
constexpr const char* of_all_requests[] = {"MPI_Waitall"};
constexpr const char* of_some_requests[] = {"MPI_Waitany", "MPI_Waitsome"};
template <size_t count>
bool is_in(const char* const (&names)[count], const MpiFunctionRow& function) {
    return std::ranges::find(names, function.name) != std::end(names);
}

bool is_posted(Record record) {
    return record == Record::PostedSend || record == Record::PostedReceive ||
           record == Record::PostedExchange;
}

// The kind of what the call itself does, or posts, with a peer.
AwaitedKind kind_awaited(Record record) {
    return record == Record::Receive || record == Record::PostedReceive || record == Record::Probe
               ? AwaitedKind::receive
               : AwaitedKind::send;
}

}  // namespace

void ProcessCalls::read(uint32_t stream, StreamReader& reader) {
    Call call;
    int64_t clock = 0;
    bool has_collectives = false;
    while (reader.next()) {
        const EventView& event = reader.event();
        clock = event.clock;
        if (event.kind == EventView::Kind::gap_begin) {
            call = {};
            lacks_events_ = true;
        }
        if (event.kind != EventView::Kind::event || event.code.model() != 'M') continue;
        if (event.jumbo()) {
            std::span<const uint8_t> data = event.payload().subspan(OVNI_FORMAT_JUMBO_SIZE);
            if (event.code == OVNI_MPI_COMMUNICATOR) communicators_.define(data);
            if (event.code == OVNI_MPI_NAME) communicators_.name(data);
            continue;
        }
        MpiEvent mpi(event.code, event.payload());
        switch (mpi.step()) {
            case MpiStep::enter:
                enter(call, mpi, clock);
                has_collectives = has_collectives || (call.function && is_collective(*call.function));
                break;
            case MpiStep::posts:
                call.request = mpi.number(MpiField::request).value_or(0);
                post(call);
                break;
            case MpiStep::leave:
                leave(call, mpi);
                call = {};
                break;
            case MpiStep::send_started:
            case MpiStep::receive_started: {
                if (!mpi.has(MpiField::request)) break;
                Call started{call.function,
                             clock,
                             *mpi.number(MpiField::object),
                             0,
                             *mpi.rank(MpiField::peer),
                             *mpi.rank(MpiField::tag)};
                start(*mpi.number(MpiField::request),
                      mpi.step() == MpiStep::send_started ? AwaitedKind::send : AwaitedKind::receive,
                      started);
                break;
            }
            case MpiStep::request_ended: {
                if (!mpi.has(MpiField::request)) break;
                auto [known, is_new] = requests_.try_emplace(*mpi.number(MpiField::request));
                if (--known->second.under_way == 0) requests_.erase(known);
                break;
            }
            default:
                break;
        }
    }
    streams_with_collectives_ += has_collectives ? 1 : 0;
    if (call.function) unended_.push_back({stream, call, clock});
}

void ProcessCalls::enter(Call& call, const MpiEvent& event, int64_t clock) {
    call = {event.function(), clock};
    if (!call.function) return;
    if (call.function->name == "MPI_Finalize") is_finalizing_ = true;
    call.communicator = event.number(MpiField::object).value_or(OVNI_MPI_NO_OBJECT);
    call.request = event.number(MpiField::request).value_or(0);
    call.peer = event.rank(MpiField::peer).value_or(OVNI_MPI_ANY);
    call.tag = event.rank(MpiField::tag).value_or(OVNI_MPI_ANY);
    if (is_collective(*call.function) && call.communicator != OVNI_MPI_NO_OBJECT) ++turns_[call.communicator];
    post(call);
}

void ProcessCalls::post(const Call& call) {
    if (call.function && is_posted(call.function->record) && call.request != 0)
        start(call.request, kind_awaited(call.function->record), call);
}

void ProcessCalls::leave(const Call& call, const MpiEvent& event) {
    if (!call.function || call.function != event.function() || !is_collective(*call.function)) return;
    if (call.function->record == Record::PersistentCollective)
        return;  // makes a request that is not under way
    if (auto request = event.number(MpiField::request)) start(*request, AwaitedKind::collective, call);
}

void ProcessCalls::start(uint32_t request, AwaitedKind kind, const Call& from) {
    auto [known, is_new] = requests_.try_emplace(request);
    known->second.operation = {kind,
                               from.peer,
                               from.tag,
                               0,
                               turns_[from.communicator],
                               from.function ? index_of(*from.function) : 0u};
    known->second.communicator = from.communicator;
    if (++known->second.under_way == 0) requests_.erase(known);
}

std::vector<OpenCall> ProcessCalls::open() const {
    std::vector<OpenCall> all;
    for (const Unended& unended : unended_) {
        OpenCall open{
            unended.stream, index_of(*unended.call.function), unended.call.since, unended.until, {}, true};
        add_awaited(open, unended.call);
        all.push_back(std::move(open));
    }
    return all;
}

void ProcessCalls::add_awaited(OpenCall& open, const Call& call) const {
    const MpiFunctionRow& function = *call.function;
    const Record record = function.record;
    auto add = [&](const Request& request) {
        if (request.under_way <= 0) return;
        open.waits_for.push_back(request.operation);
        open.waits_for.back().communicator = communicators_.id_of(request.communicator);
    };
    if (is_collective(function)) {
        auto turn = turns_.find(call.communicator);
        if (turn != turns_.end())
            open.waits_for.push_back({AwaitedKind::collective, OVNI_MPI_ANY, OVNI_MPI_ANY,
                                      communicators_.id_of(call.communicator), turn->second,
                                      index_of(function)});
    } else if (is_in(of_one_request, function)) {
        if (auto known = requests_.find(call.request); known != requests_.end()) add(known->second);
    } else if (is_in(of_all_requests, function) || is_in(of_some_requests, function)) {
        open.needs_all = is_in(of_all_requests, function);
        for (const auto& [number, request] : requests_) add(request);
    } else if (call.communicator != OVNI_MPI_NO_OBJECT && !is_posted(record) &&
               (record == Record::Send || record == Record::Receive || record == Record::Exchange ||
                record == Record::Probe)) {
        open.waits_for.push_back({kind_awaited(record), call.peer, call.tag,
                                  communicators_.id_of(call.communicator), 0, index_of(function)});
    }
}

uint64_t ProcessCalls::turns(uint64_t communicator) const {
    uint64_t turns = 0;
    for (const auto& [number, count] : turns_)
        if (communicators_.id_of(number) == communicator) turns = std::max(turns, count);
    return turns;
}

}  // namespace ovni
