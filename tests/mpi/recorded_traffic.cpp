#include "tests/mpi/recorded_traffic.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ovni/mpi_events.h"
#include "trace/merger.hpp"

namespace ovni::test {

namespace {

using Step = MpiDetails::Step;

constexpr EventCode communicator_code = OVNI_MPI_COMMUNICATOR;

bool sends(MpiRecord record) {
    return record == MpiRecord::Send || record == MpiRecord::PostedSend ||
           record == MpiRecord::PostedExchange;
}

bool receives_at_once(MpiRecord record) {
    return record == MpiRecord::Receive || record == MpiRecord::Exchange ||
           record == MpiRecord::MatchedReceive;
}

bool posts_receive(MpiRecord record) {
    return record == MpiRecord::PostedReceive || record == MpiRecord::PostedExchange;
}

}  // namespace

RecordedTraffic::RecordedTraffic(const Trace& trace) : trace_(trace), threads_(trace.streams().size()) {
    Merger merger(trace.readers(ClockOrder::any));
    while (const EventView* event = merger.next())
        if (event->kind == EventView::Kind::event) take(*event);
}

void RecordedTraffic::take(const EventView& event) {
    int rank = *trace_.streams()[event.stream].metadata.process->rank;
    Process& process = processes_[rank];
    Thread& thread = threads_[event.stream];
    if (event.code == communicator_code) return tell(process, event);
    MpiDetails details = mpi_details(event.code, event.payload());
    switch (details.step) {
        case Step::enter:
            return enter(process, thread, details);
        case Step::leave:
            return leave(rank, process, thread, details);
        case Step::posts:
            thread.entered.request = details.request;
            return post(process, thread);
        case Step::send_started:
            thread.started = details;
            return;
        case Step::receive_started:
            process.receives[*details.request] = *details.object;
            return;
        case Step::request_ended:
            thread.ended = *details.request;
            if (*details.how != OVNI_MPI_COMPLETED) process.receives.erase(thread.ended);
            return;
        case Step::message:
            ASSERT_TRUE(process.receives.contains(thread.ended)) << "request " << thread.ended;
            add(received_, rank, process.receives[thread.ended], *details.peer, *details.bytes);
            process.receives.erase(thread.ended);
            return;
        case Step::bytes:
            return add_bytes(rank, thread, *details.bytes);
        case Step::started:
        case Step::site:
        case Step::other:
            return;
    }
}

void RecordedTraffic::enter(Process& process, Thread& thread, const MpiDetails& details) {
    thread.entered = details;
    thread.started = {};
    thread.ended = 0;
    if (details.request) post(process, thread);
}

void RecordedTraffic::post(Process& process, const Thread& thread) {
    const MpiDetails& call = thread.entered;
    if (posts_receive(call.function->record)) process.receives[*call.request] = *call.object;
}

void RecordedTraffic::leave(int rank, Process& process, Thread& thread, const MpiDetails& details) {
    MpiRecord record = details.function->record;
    const MpiDetails& entered = thread.entered;
    if (sends(record) && details.peer) add(sent_, rank, *entered.object, *details.peer, *details.bytes);
    if (record == MpiRecord::Probe && details.request && *details.request != 0)
        process.receives[*details.request] = *entered.object;
    if (!receives_at_once(record) || !details.peer || *details.peer == OVNI_MPI_NOBODY) return;
    uint32_t communicator = 0;
    if (record == MpiRecord::MatchedReceive) {
        ASSERT_TRUE(process.receives.contains(*entered.request));
        communicator = process.receives[*entered.request];
        process.receives.erase(*entered.request);
    } else {
        communicator = *entered.object;
    }
    add(received_, rank, communicator, *details.peer, *details.bytes);
}

void RecordedTraffic::add_bytes(int rank, Thread& thread, uint64_t bytes) {
    if (thread.ended != 0) return;  // of I/O
    const MpiDetails& from = thread.started.object ? thread.started : thread.entered;
    add(sent_, rank, *from.object, *from.peer, bytes);
}

void RecordedTraffic::add(std::vector<Message>& messages, int rank, uint32_t communicator, int32_t peer,
                          uint64_t bytes) {
    if (peer != OVNI_MPI_NOBODY) messages.push_back({rank, communicator, peer, bytes});
}

void RecordedTraffic::tell(Process& process, const EventView& event) {
    auto told = mpi_communicator(event.payload().subspan(OVNI_FORMAT_JUMBO_SIZE));
    ASSERT_TRUE(told.has_value());
    if (told->first == 0) process.communicators[told->number] = *told;
    if (!(told->flags & OVNI_MPI_MEMBERS)) return;
    if (told->first == 0) {
        told_.emplace(told->id, *told);
        return;
    }
    auto [begin, end] = told_.equal_range(told->id);
    ASSERT_NE(begin, end);
    for (auto known = begin; known != end; ++known)
        if (known->second.members.size() == told->first)
            known->second.members.insert(known->second.members.end(), told->members.begin(),
                                         told->members.end());
}

uint64_t RecordedTraffic::id_of(const Message& message) const {
    if (message.communicator <= OVNI_MPI_SELF) return message.communicator;
    const auto& communicators = processes_.at(message.rank).communicators;
    auto known = communicators.find(message.communicator);
    EXPECT_NE(known, communicators.end()) << "communicator " << message.communicator << " was not told";
    return known == communicators.end() ? 0 : known->second.id;
}

int RecordedTraffic::world_rank(const Message& message) const {
    if (message.communicator == OVNI_MPI_WORLD) return message.peer;
    if (message.communicator == OVNI_MPI_SELF) return message.rank;
    const MpiCommunicator& known = processes_.at(message.rank).communicators.at(message.communicator);
    if (known.flags & OVNI_MPI_OF_WORLD) return message.peer;
    auto [begin, end] = told_.equal_range(known.id);
    for (auto told = begin; told != end; ++told) {
        const MpiCommunicator& whole = told->second;
        auto ours = std::span(whole.members).first(whole.size);
        if (std::ranges::find(ours, message.rank) == ours.end()) continue;
        size_t place = static_cast<size_t>(message.peer) + (whole.remote_size != 0 ? whole.size : 0);
        return place < whole.members.size() ? whole.members[place] : -1;
    }
    ADD_FAILURE() << "nobody told the members of " << known.id;
    return -1;
}

ChannelTraffic RecordedTraffic::resolve(const std::vector<Message>& messages, bool sent) const {
    ChannelTraffic traffic;
    for (const Message& message : messages) {
        int peer = world_rank(message);
        Channel channel =
            sent ? Channel{id_of(message), message.rank, peer} : Channel{id_of(message), peer, message.rank};
        traffic[channel].bytes += message.bytes;
        ++traffic[channel].messages;
    }
    return traffic;
}

Account RecordedTraffic::account() const {
    auto sum = [](const ChannelTraffic& traffic) {
        Traffic pairs;
        for (const auto& [channel, amount] : traffic) {
            auto& [bytes, messages] = pairs[{std::get<1>(channel), std::get<2>(channel)}];
            bytes += static_cast<int64_t>(amount.bytes);
            messages += static_cast<int>(amount.messages);
        }
        return pairs;
    };
    return {sum(sent()), sum(received())};
}

std::map<uint64_t, std::set<int>> RecordedTraffic::tellers() const {
    std::map<uint64_t, std::set<int>> tellers;
    for (const auto& [rank, process] : processes_)
        for (const auto& [number, communicator] : process.communicators)
            tellers[communicator.id].insert(rank);
    return tellers;
}

uint64_t RecordedTraffic::open_receives() const {
    uint64_t open = 0;
    for (const auto& [rank, process] : processes_) open += process.receives.size();
    return open;
}

}  // namespace ovni::test
