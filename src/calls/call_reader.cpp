#include "calls/call_reader.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "calls/mpi_functions.hpp"
#include "ovni/format.h"
#include "trace/merger.hpp"

namespace ovni {

namespace {

// The rules for the calls of a function.
struct Meaning {
    bool is_collective = false, is_fence = false, is_transfer = false;
    bool sends = false, receives = false;  // a request that it posts
};

constexpr auto meanings = [] {
    std::array<Meaning, std::size(mpi_function_rows)> of{};
    for (size_t f = 0; f < of.size(); ++f) {
        const MpiFunctionRow& row = mpi_function_rows[f];
        const MpiRecord record = row.record;
        of[f].is_collective = is_collective(row);
        of[f].is_fence = is_fence(row);
        of[f].is_transfer = uses_object(row);
        of[f].sends = record == MpiRecord::PostedSend || record == MpiRecord::PostedExchange;
        of[f].receives = record == MpiRecord::PostedReceive || record == MpiRecord::PostedExchange ||
                         record == MpiRecord::PostedMatchedReceive;
    }
    return of;
}();

const Meaning& meaning_of(const MpiFunctionRow& function) {
    return meanings[index_of(function)];
}

// A request with all that it has of the call that posts it.
Request request_of(const Call& call, uint32_t number, uint32_t stream) {
    Request request;
    request.number = number;
    request.stream = stream;
    request.order = request.posted = call.enter;
    request.offset = call.offset;
    request.sent = call.sent;
    request.communicator = call.communicator;
    request.peer = call.peer;
    request.tag = call.tag;
    request.root = call.root;
    request.turn = call.turn;
    request.collective = call.collective;
    if (call.function) request.function = index_of(*call.function);
    return request;
}

}  // namespace

CallReader::CallReader(std::vector<CallConsumer*> consumers) : consumers_(std::move(consumers)) {
    for (CallConsumer* consumer : consumers_) {
        consumer->reader_ = this;
        if (consumer->wants_others()) of_others_.push_back(consumer);
    }
}

void CallReader::finish() {
    for (Thread& thread : threads_)
        if (thread.ended != 0) end_receive(thread, nullptr);
    notify(&CallConsumer::finished);
}

CallReader::Thread& CallReader::thread_of(uint32_t stream) {
    if (last_ && last_->stream == stream) return *last_;
    auto [known, is_new] = by_stream_.try_emplace(stream);
    if (is_new) {
        Thread& thread = threads_.emplace_back();
        thread.stream = stream;
        thread.index = static_cast<uint32_t>(threads_.size() - 1);
        known->second = &thread;
    }
    return *(last_ = known->second);
}

void CallReader::take(const EventView& event) {
    Thread& thread = thread_of(event.stream);
    thread.until = event.clock;
    if (event.kind != EventView::Kind::event) return take_mark(thread, event);
    const char model = event.code.model();
    if (model == 'O') return live(thread, event);
    if (model != 'M') {
        for (CallConsumer* consumer : of_others_) consumer->other(thread, event);
        return;
    }
    if (event.jumbo()) return take_description(event);
    const MpiEvent mpi(event.code, event.payload());
    const MpiStep step = mpi.step();
    if (step == MpiStep::other) return;
    if (step == MpiStep::site)
        return come_from(thread, mpi.number(MpiField::site).value_or(OVNI_MPI_NO_SITE));
    thread.now = event.clock;
    if (thread.ended != 0 && step != MpiStep::message) end_receive(thread, nullptr);
    switch (step) {
        case MpiStep::enter:
            return enter(thread, event, mpi);
        case MpiStep::leave:
            return leave(thread, event, mpi);
        case MpiStep::posts:
            thread.call.request = mpi.number(MpiField::request).value_or(0);
            return post(thread);
        case MpiStep::send_started:
        case MpiStep::receive_started:
            return start(thread, event, mpi);
        case MpiStep::started:
            return start_collective(thread, event, mpi);
        case MpiStep::request_ended:
            return end_request(thread, mpi.number(MpiField::request).value_or(0),
                               mpi.number(MpiField::how).value_or(OVNI_MPI_COMPLETED));
        case MpiStep::message: {
            const ReceivedMessage message{mpi.bytes(), mpi.rank(MpiField::peer), mpi.rank(MpiField::tag)};
            return end_receive(thread, &message);
        }
        case MpiStep::bytes:
            return take_bytes(thread, mpi.bytes().value_or(Request::unknown_bytes));
        default:
            return;
    }
}

void CallReader::take_mark(Thread& thread, const EventView& event) {
    const bool is_counted = has_account_ && event.gap && event.gap->is_pause();
    has_gaps_ = has_gaps_ || event.kind == EventView::Kind::gap_begin;
    thread.is_cut = event.kind == EventView::Kind::cut;
    thread.resumed_at = event.clock;
    // The account of the pause says which message that was.
    if (is_counted) thread.ended = 0;
    const Call open = thread.call;
    thread.sites.forget();
    abandon(thread, event.clock, Abandoned::by_gap);
    if (event.kind != EventView::Kind::gap_end) surface(thread);
    if (thread.is_cut) thread.call = open;
    notify(&CallConsumer::interrupted, thread, event, is_counted);
}

void CallReader::live(Thread& thread, const EventView& event) {
    if (event.code == "OHe") surface(thread);
    notify(&CallConsumer::lived, thread, event);
}

void CallReader::come_from(Thread& thread, uint32_t site) const {
    if (thread.stream >= sites_.size()) return;
    const MpiSites& known = sites_[thread.stream];
    if (const auto caller = known.find(site); caller != known.end())
        thread.sites.set(caller->second);
    else
        thread.sites.forget();
}

void CallReader::take_description(const EventView& event) {
    const std::span<const uint8_t> data = event.payload().subspan(OVNI_FORMAT_JUMBO_SIZE);
    if (event.code == OVNI_MPI_COMMUNICATOR) communicators_.define(data);
    if (event.code == OVNI_MPI_NAME) communicators_.name(data);
    if (event.code == OVNI_MPI_OBJECT) communicators_.define_window(data);
    if (event.code == OVNI_MPI_UNRECORDED)
        if (const auto count = mpi_unrecorded(data)) {
            const MpiCommunicator& communicator = count->communicator;
            // Fences record only the number.
            if (communicator.number != OVNI_MPI_NO_OBJECT && communicator.id != 0)
                communicators_.add_if_new(communicator);
            if (communicator.number != OVNI_MPI_NO_OBJECT && count->peer == OVNI_MPI_ANY)
                turns_[communicator.number].all += count->sends;
            notify(&CallConsumer::unrecorded, event, *count);
        }
    if (event.code == OVNI_MPI_UNDER_WAY)
        if (const auto receive = mpi_under_way(data)) take_under_way(event, *receive);
    // The time of the end is unknown. An end that was recorded is reported again if recording stopped next to
    // it.
    if (event.code == OVNI_MPI_UNRECORDED_END)
        if (const auto end = mpi_unrecorded_end(data))
            if (const Request* known = requests_.find(end->request)) {
                const Request request = *known;
                requests_.remove(end->request);
                notify(&CallConsumer::ended_unrecorded, request, *end);
            }
    notify(&CallConsumer::described, event, data);
}

void CallReader::take_under_way(const EventView& event, const MpiUnderWay& receive) {
    communicators_.add_if_new(receive.communicator);
    Request request;
    request.number = receive.request;
    request.stream = event.stream;
    request.order = event.clock;
    request.offset = event.offset;
    request.communicator = receive.communicator.number;
    request.peer = receive.peer;
    request.tag = receive.tag;
    request.receives = request.is_unrecorded = true;
    requests_.put(request);
}

void CallReader::enter(Thread& thread, const EventView& event, const MpiEvent& mpi) {
    abandon(thread, event.clock, Abandoned::by_enter);
    Call& call = thread.call;
    call.function = mpi.function();
    if (!call.function) return;
    is_finalizing_ = is_finalizing_ || is_finalize(*call.function);
    call.enter = event.clock;
    call.offset = event.offset;
    call.site = thread.sites.of(index_of(*call.function));
    call.object = call.communicator = mpi.number(MpiField::object).value_or(OVNI_MPI_NO_OBJECT);
    call.request = mpi.number(MpiField::request).value_or(0);
    call.peer = mpi.rank(MpiField::peer).value_or(OVNI_MPI_NOBODY);
    call.tag = mpi.rank(MpiField::tag).value_or(OVNI_MPI_ANY);
    call.root = mpi.rank(MpiField::root).value_or(OVNI_MPI_ANY);
    call.sent = mpi.bytes().value_or(0);
    const Meaning& meaning = meaning_of(*call.function);
    if (meaning.is_fence) call.communicator = communicators_.of_window(call.object);
    if ((meaning.is_collective || meaning.is_fence) && call.communicator != OVNI_MPI_NO_OBJECT) {
        Turns& turns = turns_[call.communicator];
        call.turn = ++turns.all;
        if (meaning.is_collective) call.collective = ++turns.collectives;
    }
    thread.has_collectives = thread.has_collectives || meaning.is_collective;
    if (thread.depth++ == 0) thread.outermost = index_of(*call.function);
    post(thread);
    notify(&CallConsumer::entered, thread);
}

void CallReader::post(const Thread& thread) {
    const Call& call = thread.call;
    if (!call.function || call.request == 0) return;
    const Meaning& meaning = meaning_of(*call.function);
    if (!meaning.sends && !meaning.receives) return;
    Request request = request_of(call, call.request, thread.stream);
    request.sends = meaning.sends;
    request.receives = meaning.receives;
    if (call.function->record == MpiRecord::PostedMatchedReceive) {
        const auto found = found_.find(call.request);
        if (found == found_.end()) return;
        request.order = found->second.order;
        request.communicator = found->second.communicator;
        request.peer = found->second.peer;
        request.tag = found->second.tag;
        request.is_found = true;
        found_.erase(found);
    }
    requests_.put(request);
}

void CallReader::leave(Thread& thread, const EventView& event, const MpiEvent& mpi) {
    Return result;
    result.clock = event.clock;
    result.offset = event.offset;
    result.bytes = mpi.bytes();
    result.peer = mpi.rank(MpiField::peer).value_or(OVNI_MPI_NOBODY);
    result.tag = mpi.rank(MpiField::tag).value_or(OVNI_MPI_ANY);
    result.object = mpi.number(MpiField::object).value_or(OVNI_MPI_NO_OBJECT);
    result.request = mpi.number(MpiField::request).value_or(0);
    const bool is_outermost = mpi.function() && thread.depth > 0 && --thread.depth == 0;
    const Call& call = thread.call;
    if (!call.function || call.function != mpi.function()) {
        abandon(thread, event.clock, Abandoned::by_leave);
    } else {
        const Meaning& meaning = meaning_of(*call.function);
        if (meaning.sends || meaning.receives)
            leave_posting(call, result);
        else if (result.request != 0)
            begin_at_leave(thread, result);
        const auto found =
            call.function->record == MpiRecord::MatchedReceive ? found_.find(call.request) : found_.end();
        if (found != found_.end()) result.found = &found->second;
        notify(&CallConsumer::left, thread, result);
        if (found != found_.end()) found_.erase(found);
        for (const uint32_t number : thread.started_requests)
            if (Request* started = requests_.find(number)) started->left = event.clock;
        thread.started_requests.clear();
        thread.transfer = Request::no_transfer;
        thread.call = {};
    }
    if (is_outermost) notify(&CallConsumer::surfaced, thread, &result);
}

void CallReader::surface(Thread& thread) {
    if (thread.depth == 0) return;
    thread.depth = 0;
    notify(&CallConsumer::surfaced, thread, nullptr);
}

void CallReader::leave_posting(const Call& call, const Return& result) {
    Request* request = requests_.find(call.request);
    if (!request) return;
    request->left = result.clock;
    if (!request->sends) return;
    if (result.bytes)
        request->bytes = *result.bytes;
    else
        requests_.remove(call.request);  // it has failed
}

// A request that has no number in the enter of its call.
void CallReader::begin_at_leave(const Thread& thread, Return& result) {
    const Call& call = thread.call;
    const Meaning& meaning = meaning_of(*call.function);
    if (call.function->record == MpiRecord::Probe) return leave_probe(thread, result);
    if (!meaning.is_collective && !meaning.is_transfer) return;
    Request request = request_of(call, result.request, thread.stream);
    request.left = result.clock;
    request.bytes = result.bytes.value_or(0);
    request.is_collective = meaning.is_collective;
    request.is_transfer = meaning.is_transfer;
    if (call.function->record == MpiRecord::PersistentCollective) {
        if (call.turn != 0) persistent_[result.request] = request;
        return;
    }
    Request& begun = requests_.put(request);
    if (begun.is_transfer) result.transfer = &begun;
}

void CallReader::leave_probe(const Thread& thread, const Return& result) {
    if (thread.call.communicator == OVNI_MPI_NO_OBJECT) return;
    Request& found = found_[result.request] = request_of(thread.call, result.request, thread.stream);
    found.receives = found.is_found = true;
    found.peer = result.peer;
    found.tag = result.tag;
}

void CallReader::start(Thread& thread, const EventView& event, const MpiEvent& mpi) {
    const uint32_t number = mpi.number(MpiField::request).value_or(0);
    Request request = request_of(thread.call, number, thread.stream);
    request.sends = mpi.step() == MpiStep::send_started;
    request.receives = !request.sends;
    request.offset = event.offset;
    request.order = request.posted = request.left = event.clock;
    request.communicator = mpi.number(MpiField::object).value_or(OVNI_MPI_NO_OBJECT);
    request.peer = mpi.rank(MpiField::peer).value_or(OVNI_MPI_NOBODY);
    request.tag = mpi.rank(MpiField::tag).value_or(OVNI_MPI_ANY);
    if (number == thread.counted.request) {
        request.made = thread.counted.made;
        request.turn = thread.counted.start;
    }
    thread.counted = {};
    thread.started = request.sends ? number : 0;
    thread.started_requests.push_back(number);
    requests_.put(request);
}

void CallReader::start_collective(Thread& thread, const EventView& event, const MpiEvent& mpi) {
    const uint32_t number = mpi.number(MpiField::request).value_or(0);
    thread.counted = {number, mpi.number(MpiField::start).value_or(0),
                      mpi.number(MpiField::made).value_or(0)};
    const auto known = persistent_.find(number);
    if (known == persistent_.end()) return;
    Request request = known->second;
    request.offset = event.offset;
    request.posted = request.order = request.left = event.clock;
    request.turn = thread.counted.start;
    request.made = thread.counted.made;
    request.stream = event.stream;
    requests_.put(request);
    thread.started_requests.push_back(number);
}

void CallReader::end_request(Thread& thread, uint32_t number, uint32_t how) {
    thread.transfer = Request::no_transfer;
    const Request* known = requests_.find(number);
    if (!known) return;
    const Request request = *known;
    if (how == OVNI_MPI_COMPLETED) thread.transfer = request.transfer;
    // The message follows.
    if (request.receives && how == OVNI_MPI_COMPLETED)
        thread.ended = number;
    else
        requests_.remove(number);
    notify(&CallConsumer::ended, thread, request, how);
}

void CallReader::end_receive(Thread& thread, const ReceivedMessage* message) {
    const uint32_t number = std::exchange(thread.ended, 0);
    const Request* known = requests_.find(number);
    if (!known) return;
    const Request request = *known;
    requests_.remove(number);
    notify(&CallConsumer::received, thread, request, message);
}

void CallReader::take_bytes(Thread& thread, uint64_t bytes) {
    const uint32_t started = std::exchange(thread.started, 0);
    const uint32_t transfer = std::exchange(thread.transfer, Request::no_transfer);
    if (started != 0) {
        if (Request* request = requests_.find(started)) request->bytes = bytes;
        return;
    }
    const uint64_t known = bytes == Request::unknown_bytes ? 0 : bytes;
    if (transfer != Request::no_transfer)
        notify(&CallConsumer::transferred, transfer, known);
    else if (thread.call.function && thread.call.function->record == MpiRecord::Exchange)
        thread.call.sent = known;
}

void CallReader::abandon(Thread& thread, int64_t clock, Abandoned why) {
    if (thread.ended != 0) end_receive(thread, nullptr);
    thread.started_requests.clear();
    thread.started = 0;
    thread.transfer = Request::no_transfer;
    if (thread.call.function) notify(&CallConsumer::abandoned, thread, clock, why);
    thread.call = {};
}

namespace {

// A single stream needs no merging.
void read_alone(StreamReader& stream, CallReader& process, std::vector<std::string>& damages) {
    try {
        while (stream.next()) process.take(stream.event());
    } catch (const Error& e) {
        damages.emplace_back(e.what());
        process.end_damaged(stream.index());
    }
}

void read_merged(std::vector<StreamReader> streams, CallReader& process, std::vector<std::string>& damages) {
    Merger merger(std::move(streams));
    for (;;) {
        try {
            const EventView* event = merger.next();
            if (!event) return;
            process.take(*event);
        } catch (const Error& e) {
            damages.emplace_back(e.what());
            process.end_damaged(merger.damaged_stream());
        }
    }
}

}  // namespace

std::vector<std::string> read(std::vector<StreamReader> streams, CallReader& process) {
    std::vector<std::string> damages;
    if (streams.size() == 1)
        read_alone(streams.front(), process, damages);
    else
        read_merged(std::move(streams), process, damages);
    process.finish();
    return damages;
}

}  // namespace ovni
