#include "messages/calls/process_messages.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "messages/calls/mpi_functions.hpp"
#include "model/mpi_region.hpp"
#include "ovni/format.h"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

using Record = MpiRecord;
using Side = KeyOfProcess::Side;

constexpr size_t functions = std::size(mpi_function_rows);

enum class Object : uint8_t { none, communicator, window };

// The object that a function is a collective of.
const std::array<Object, functions>& collectives() {
    static const std::array<Object, functions> table = [] {
        std::array<Object, functions> of{};
        for (size_t f = 0; f < functions; ++f)
            of[f] = is_collective(mpi_function_rows[f]) ? Object::communicator
                    : is_fence(mpi_function_rows[f])    ? Object::window
                                                        : Object::none;
        return of;
    }();
    return table;
}

}  // namespace

ProcessMessages::ProcessMessages(const ProcessFacts& facts, MessageEnds& found)
    : facts_(facts),
      found_(found),
      first_key_(found.keys.size()),
      first_collective_(found.collectives.size()) {}

void ProcessMessages::take(const EventView& event) {
    if (event.kind != EventView::Kind::event) {
        Thread& thread = threads_[event.stream];
        thread.resumed_at = event.clock;
        uninterrupted_until_ = std::min(uninterrupted_until_, event.clock);
        take_back_sends(thread, event.stream);
        const bool is_told = has_account_ && event.gap && event.gap->is_pause();
        // The account of the pause tells which message that was.
        if (is_told) thread.ended = 0;
        forget_call(thread, event.stream, event.clock);
        if (is_told) return;
        has_lost_ = has_lost_ || event.kind != EventView::Kind::cut;
        meet_gap(event.clock);
        return;
    }
    if (event.code.model() == 'O') return change_region(event);
    if (event.code.model() != 'M') return;
    if (event.jumbo()) return take_jumbo(event);
    const MpiEvent mpi(event.code, event.payload());
    if (mpi.step() == MpiStep::other || mpi.step() == MpiStep::site) return;
    Thread& thread = threads_[event.stream];
    thread.now = event.clock;
    if (thread.ended != 0 && mpi.step() != MpiStep::message) receive_ended(thread, event.stream, nullptr);
    switch (mpi.step()) {
        case MpiStep::enter:
            return enter(thread, event.stream, event, mpi);
        case MpiStep::leave:
            return leave(thread, event.stream, event, mpi);
        case MpiStep::posts:
            thread.call.request = mpi.number(MpiField::request).value_or(0);
            return post(thread, event.stream);
        case MpiStep::send_started:
        case MpiStep::receive_started:
            return start(thread, event.stream, event, mpi, mpi.step() == MpiStep::send_started);
        case MpiStep::started:
            return start_collective(thread, event, mpi);
        case MpiStep::request_ended:
            return end_request(thread, event.stream, mpi.number(MpiField::request).value_or(0),
                               mpi.number(MpiField::how).value_or(OVNI_MPI_COMPLETED));
        case MpiStep::message:
            return receive_ended(thread, event.stream, &mpi);
        case MpiStep::bytes:
            if (thread.started != 0)
                requests_[thread.started].bytes = mpi.bytes().value_or(MessageEnd::unknown_bytes);
            else
                thread.call.sent = mpi.bytes().value_or(0);
            thread.started = 0;
            return;
        default:
            return;
    }
}

void ProcessMessages::take_jumbo(const EventView& event) {
    std::span<const uint8_t> data = event.payload().subspan(OVNI_FORMAT_JUMBO_SIZE);
    if (event.code == OVNI_MPI_COMMUNICATOR) communicators_.define(data);
    if (event.code == OVNI_MPI_NAME) communicators_.name(data);
    if (event.code == OVNI_MPI_OBJECT) communicators_.define_window(data);
    if (event.code == OVNI_MPI_UNRECORDED)
        if (auto unrecorded = mpi_unrecorded(data)) count_unrecorded(event, *unrecorded);
    if (event.code == OVNI_MPI_UNDER_WAY)
        if (auto receive = mpi_under_way(data)) meet_under_way(event, *receive);
    if (event.code == OVNI_MPI_UNRECORDED_END)
        if (auto end = mpi_unrecorded_end(data)) end_unrecorded(*end);
}

void ProcessMessages::enter(Thread& thread, uint32_t stream, const EventView& event, const MpiEvent& mpi) {
    forget_call(thread, stream, event.clock);
    Call& call = thread.call;
    call.function = mpi.function();
    if (!call.function) return;
    is_finalizing_ |= is_finalize(*call.function);
    call.enter = event.clock;
    call.offset = event.offset;
    call.communicator = mpi.number(MpiField::object).value_or(OVNI_MPI_NO_OBJECT);
    call.request = mpi.number(MpiField::request).value_or(0);
    call.peer = mpi.rank(MpiField::peer).value_or(OVNI_MPI_NOBODY);
    call.tag = mpi.rank(MpiField::tag).value_or(OVNI_MPI_ANY);
    call.root = mpi.rank(MpiField::root).value_or(OVNI_MPI_ANY);
    if (const Object object = collectives()[index_of(*call.function)]; object != Object::none) {
        if (object == Object::window) call.communicator = communicators_.of_window(call.communicator);
        call.sent = mpi.bytes().value_or(0);
        if (call.communicator != OVNI_MPI_NO_OBJECT) call.turn = ++turns_[call.communicator];
    }
    post(thread, stream);
}

void ProcessMessages::post(Thread& thread, uint32_t stream) {
    const Call& call = thread.call;
    if (!call.function || call.request == 0) return;
    const Record record = call.function->record;
    Request request;
    request.sends = record == Record::PostedSend || record == Record::PostedExchange;
    request.receives = record == Record::PostedReceive || record == Record::PostedExchange ||
                       record == Record::PostedMatchedReceive;
    if (!request.sends && !request.receives) return;
    request.call = call;
    request.stream = stream;
    request.order = call.enter;
    if (record == Record::PostedMatchedReceive) {
        auto found = matched_.find(call.request);
        if (found == matched_.end()) return;
        request.order = found->second.order;
        request.call.communicator = found->second.call.communicator;
        request.call.peer = found->second.call.peer;
        request.call.tag = found->second.call.tag;
        request.is_found = true;
        matched_.erase(found);
    }
    requests_[call.request] = request;
}

void ProcessMessages::leave(Thread& thread, uint32_t stream, const EventView& event, const MpiEvent& mpi) {
    Call& call = thread.call;
    const int64_t clock = event.clock;
    if (!call.function || call.function != mpi.function()) return forget_call(thread, stream, clock);
    const auto bytes = mpi.bytes();
    const Record record = call.function->record;
    MessageEnd blocking = end_of(call, stream, clock);
    blocking.completed_in = stream;
    const Peer peer{mpi.rank(MpiField::peer).value_or(OVNI_MPI_NOBODY),
                    mpi.rank(MpiField::tag).value_or(OVNI_MPI_ANY)};
    switch (record) {
        case Record::Send:
        case Record::Exchange:
            if (!bytes) break;
            blocking.bytes = record == Record::Send ? *bytes : call.sent;
            add(Side::sends, call.communicator, {call.peer, call.tag}, blocking);
            if (record == Record::Send) break;
            blocking.bytes = *bytes;
            add(Side::receives, call.communicator, peer, blocking);
            break;
        case Record::Receive:
            if (!bytes) break;
            blocking.bytes = *bytes;
            add(Side::receives, call.communicator, peer, blocking);
            break;
        case Record::Probe:
            if (auto request = mpi.number(MpiField::request).value_or(0);
                request != 0 && call.communicator != OVNI_MPI_NO_OBJECT) {
                Request& found = matched_[request];
                found.receives = found.is_found = true;
                found.call = call;
                found.call.peer = peer.rank;
                found.call.tag = peer.tag;
                found.stream = stream;
                found.order = call.enter;
            }
            break;
        case Record::MatchedReceive:
            if (auto found = matched_.find(call.request); found != matched_.end()) {
                blocking.order = found->second.order;
                if (bytes) {
                    blocking.bytes = *bytes;
                    add(Side::receives, found->second.call.communicator, peer, blocking);
                }
                matched_.erase(found);
            }
            break;
        case Record::PostedSend:
        case Record::PostedReceive:
        case Record::PostedExchange:
        case Record::PostedMatchedReceive:
            leave_posting(thread, mpi, clock);
            break;
        default:
            if (call.turn != 0) leave_collective(thread, stream, mpi, clock);
            if (is_init(*call.function) || is_finalize(*call.function))
                leave_world_call(thread, stream, clock);
    }
    follow_call(stream, call, clock);
    if (!bytes) take_back_sends(thread, stream);
    for (MessageEnd& ended : thread.ends) {
        // An eager send has ended in the call that posts it.
        if (ended.stream != stream || ended.offset != call.offset) continue;
        ended.left = clock;
        if (bytes && found_.keys[ended.key].side == Side::sends) ended.bytes = *bytes;
    }
    end_all(thread, clock);
    for (uint32_t started : thread.started_requests)
        if (auto known = requests_.find(started); known != requests_.end()) known->second.left = clock;
    thread.started_requests.clear();
    call = {};
}

void ProcessMessages::follow_call(uint32_t stream, const Call& call, int64_t leave) {
    const bool begins =
        is_init(*call.function) || (first_stream_ == UINT32_MAX && call.function->name == "MPI_Session_init");
    if (begins) {
        first_stream_ = stream;
        times_.begin = leave;
    } else if (stream == first_stream_ && !is_finalized_) {
        is_finalized_ = is_finalize(*call.function);
        times_.end = is_finalized_ ? call.enter : leave;
        if (!is_finalized_)
            times_.calls.push_back({call.enter, leave, index_of(*call.function), call.request});
    }
}

void ProcessMessages::change_region(const EventView& event) {
    if (event.stream != first_stream_ || event.jumbo()) return;
    const auto border = mpi_region_border(event.code, event.payload());
    if (!border) return;
    uint32_t& depth = open_regions_[border->region];
    if (!border->opens && depth == 0) return;
    depth += border->opens ? 1 : -1;
    found_.regions.push_back({event.clock, border->region, event.stream,
                              border->opens ? RegionChange::What::open : RegionChange::What::close});
}

void ProcessMessages::leave_posting(Thread& thread, const MpiEvent& mpi, int64_t clock) {
    auto known = requests_.find(thread.call.request);
    if (known == requests_.end()) return;
    Request& request = known->second;
    request.left = clock;
    if (!request.sends) return;
    if (auto bytes = mpi.bytes())
        request.bytes = *bytes;
    else
        requests_.erase(known);  // it has failed
}

void ProcessMessages::leave_collective(Thread& thread, uint32_t stream, const MpiEvent& mpi, int64_t clock) {
    Request request;
    request.is_collective = true;
    request.call = thread.call;
    request.stream = stream;
    request.left = clock;
    request.bytes = mpi.bytes().value_or(0);
    const bool is_persistent = thread.call.function->record == Record::PersistentCollective;
    if (auto number = mpi.number(MpiField::request).value_or(0)) {
        (is_persistent ? persistent_ : requests_)[number] = request;
        return;
    }
    if (is_persistent) return;  // it has failed
    CollectiveEnd& end = found_.collectives[add_collective(request)];
    end.wait_begin = end.enter;
    end.wait_end = clock;
    end.completed_in = stream;
    end.completed_by = end.function;
}

// No gap shifts these, as a process makes each once.
void ProcessMessages::leave_world_call(const Thread& thread, uint32_t stream, int64_t clock) {
    const Call& call = thread.call;
    if (facts_.world_size == 0) return;
    CollectiveEnd end;
    end.communicator = OVNI_MPI_WORLD;
    end.scope = facts_.world + 1;
    end.turn = is_init(*call.function) ? 1 : 2;
    end.enter = end.wait_begin = call.enter;
    end.leave = end.wait_end = clock;
    end.offset = call.offset;
    end.stream = end.completed_in = stream;
    end.size = static_cast<uint32_t>(facts_.world_size);
    end.rank = facts_.rank;
    end.function = end.completed_by = index_of(*call.function);
    end.behind_gap = call.enter == thread.resumed_at;
    found_.world_calls.push_back(end);
}

void ProcessMessages::start_collective(Thread& thread, const EventView& event, const MpiEvent& mpi) {
    const uint32_t number = mpi.number(MpiField::request).value_or(0);
    thread.counted = {number, mpi.number(MpiField::start).value_or(0),
                      mpi.number(MpiField::made).value_or(0)};
    const auto known = persistent_.find(number);
    if (known == persistent_.end()) return;
    Request request = known->second;
    request.call.offset = event.offset;
    request.call.enter = request.order = request.left = event.clock;
    request.call.turn = thread.counted.start;
    request.call.made = thread.counted.made;
    request.stream = event.stream;
    requests_[number] = request;
    thread.started_requests.push_back(number);
}

void ProcessMessages::start(Thread& thread, uint32_t stream, const EventView& event, const MpiEvent& mpi,
                            bool sends) {
    const uint32_t number = mpi.number(MpiField::request).value_or(0);
    Request request;
    request.sends = sends;
    request.receives = !sends;
    request.call = thread.call;
    request.call.offset = event.offset;
    request.call.enter = event.clock;
    request.call.communicator = mpi.number(MpiField::object).value_or(OVNI_MPI_NO_OBJECT);
    request.call.peer = mpi.rank(MpiField::peer).value_or(OVNI_MPI_NOBODY);
    request.call.tag = mpi.rank(MpiField::tag).value_or(OVNI_MPI_ANY);
    if (number == thread.counted.request) {
        request.call.made = thread.counted.made;
        request.call.turn = thread.counted.start;
    }
    thread.counted = {};
    request.stream = stream;
    request.order = request.left = event.clock;
    requests_[number] = request;
    thread.started = sends ? number : 0;
    thread.started_requests.push_back(number);
}

// If the enter of the call was not recorded, nobody is known to have waited.
template <class End>
void ProcessMessages::complete_in_call(End& end, const Thread& thread, uint32_t stream) {
    end.wait_begin = end.wait_end = thread.now;
    if (!thread.call.function) return;
    end.wait_begin = thread.call.enter;
    end.completed_in = stream;
    end.completed_by = index_of(*thread.call.function);
}

void ProcessMessages::end_request(Thread& thread, uint32_t stream, uint32_t number, uint32_t how) {
    auto known = requests_.find(number);
    if (known == requests_.end()) return;
    const Request request = known->second;
    const bool has_effect = how == OVNI_MPI_COMPLETED || how == OVNI_MPI_FREED;
    if (request.receives && how == OVNI_MPI_COMPLETED)
        thread.ended = number;
    else
        requests_.erase(known);
    if (request.receives && how == OVNI_MPI_FREED) add_freed(request);
    if (!has_effect) return;
    if (request.is_collective) {
        const Index index = add_collective(request);
        complete_in_call(found_.collectives[index], thread, stream);
        if (thread.call.function) thread.collectives.push_back(index);
    }
    if (!request.sends) return;
    MessageEnd end = end_of(request, true);
    if (how == OVNI_MPI_COMPLETED) complete_in_call(end, thread, stream);
    add_open(thread, Side::sends, request.call.communicator, peer_of(request.call), end);
}

// The message of a request that has just completed; null if nothing tells of it.
void ProcessMessages::receive_ended(Thread& thread, uint32_t stream, const MpiEvent* message) {
    auto known = requests_.find(thread.ended);
    thread.ended = 0;
    if (known == requests_.end()) return;
    const Request request = known->second;
    requests_.erase(known);
    MessageEnd end = end_of(request, false);
    complete_in_call(end, thread, stream);
    Peer peer = peer_of(request.call);
    if (message) {
        end.bytes = message->bytes().value_or(MessageEnd::unknown_bytes);
        peer.rank = message->rank(MpiField::peer).value_or(peer.rank);
        peer.tag = message->rank(MpiField::tag).value_or(peer.tag);
    }
    // The peer of an exchange is that of its send.
    if (!message && request.sends) peer = {OVNI_MPI_ANY, OVNI_MPI_ANY};
    if (peer.rank == OVNI_MPI_ANY || (peer.rank >= 0 && peer.tag == OVNI_MPI_ANY)) {
        Request unknown = request;
        unknown.call.peer = peer.rank;
        unknown.call.tag = peer.tag;
        return doubt(unknown);
    }
    if (request.unrecorded) return add_unrecorded(Side::receives, request.call.communicator, peer, end, 1);
    add_open(thread, Side::receives, request.call.communicator, peer, end);
}

// The call will not be seen to end.
void ProcessMessages::forget_call(Thread& thread, uint32_t stream, int64_t clock) {
    if (thread.ended != 0) receive_ended(thread, stream, nullptr);
    end_all(thread, clock);
    thread.started_requests.clear();
    thread.started = 0;
    thread.call = {};
}

void ProcessMessages::finish() {
    for (auto& [stream, thread] : threads_) {
        const Call call = thread.call;
        if (call.function && call.function->record == Record::Send) {
            const MessageEnd open = end_of(call, stream, thread.now);
            add(Side::sends, call.communicator, {call.peer, call.tag}, open);
        }
        forget_call(thread, stream, thread.now);
    }
    std::vector<std::pair<uint32_t, Request>> under_way(requests_.begin(), requests_.end());
    std::ranges::sort(under_way, {}, [](const auto& known) { return known.first; });
    for (const auto& [number, request] : under_way) {
        if (request.sends)
            add(Side::sends, request.call.communicator, peer_of(request.call), end_of(request, true));
        if (request.is_collective) add_collective(request);
        if (request.receives) add_uncompleted(request);
    }
    for (const auto& [number, found] : matched_) add_uncompleted(found);
    if (first_stream_ != UINT32_MAX) {
        times_.process = facts_.process;
        times_.stream = first_stream_;
        if (!is_finalized_) times_.end = std::max(times_.end, threads_[first_stream_].now);
        times_.end = std::max(times_.end, times_.begin);
        found_.times.push_back(std::move(times_));
    }
    for (size_t key = first_key_; key < found_.ends.size(); ++key)
        found_.ends[key].doubt_from(complete_until_);
    mark_doubtful();
    for (size_t i = first_collective_; i < found_.collectives.size(); ++i)
        found_.collectives[i].behind_gap = found_.collectives[i].enter >= complete_until_;
}

}  // namespace ovni
