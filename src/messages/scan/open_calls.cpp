#include "messages/scan/open_calls.hpp"

#include <algorithm>
#include <iterator>

#include "calls/mpi_functions.hpp"

namespace ovni {

namespace {

constexpr const char* of_one_request[] = {"MPI_Wait"};
constexpr const char* of_all_requests[] = {"MPI_Waitall"};
constexpr const char* of_some_requests[] = {"MPI_Waitany", "MPI_Waitsome"};
template <size_t count>
bool is_in(const char* const (&names)[count], const MpiFunctionRow& function) {
    return std::ranges::find(names, function.name) != std::end(names);
}

// The kind of what a blocking call does with a peer.
AwaitedKind kind_awaited(MpiRecord record) {
    return record == MpiRecord::Receive || record == MpiRecord::Probe ? AwaitedKind::receive
                                                                      : AwaitedKind::send;
}

// No needs are known of the start of a persistent collective, a message that a probe has found, a receive
// that only the account of a pause has, or a transfer.
bool is_awaited(const Request& request) {
    return !request.is_unrecorded && !request.is_found && !request.is_transfer &&
           !(request.is_collective && request.made != 0);
}

class OpenCallReader {
 public:
    explicit OpenCallReader(const CallReader& process) : process_(process) {
        process.requests().visit([&](const Request& request) {
            if (is_awaited(request)) under_way_.push_back(&request);
        });
        std::ranges::sort(under_way_, {}, &Request::number);
    }

    OpenCall read(const CallThread& thread) const {
        OpenCall open{thread.stream, index_of(*thread.call.function), thread.call.enter, thread.until, {},
                      true};
        add_awaited(open, thread.call);
        return open;
    }

 private:
    void add(OpenCall& open, const Request& request) const {
        const AwaitedKind kind = request.is_collective ? AwaitedKind::collective
                                 : request.sends       ? AwaitedKind::send
                                                       : AwaitedKind::receive;
        open.waits_for.push_back({kind, request.peer, request.tag, id_of(request.communicator),
                                  request.collective,
                                  request.function == Request::no_function ? 0U : request.function});
    }
    uint64_t id_of(uint32_t communicator) const { return process_.communicators().id_of(communicator); }
    void add_awaited(OpenCall& open, const Call& call) const;

    const CallReader& process_;
    std::vector<const Request*> under_way_;
};

void OpenCallReader::add_awaited(OpenCall& open, const Call& call) const {
    const MpiFunctionRow& function = *call.function;
    const MpiRecord record = function.record;
    if (is_collective(function)) {
        const auto turns = process_.turns().find(call.communicator);
        if (turns != process_.turns().end())
            open.waits_for.push_back({AwaitedKind::collective, OVNI_MPI_ANY, OVNI_MPI_ANY,
                                      id_of(call.communicator), turns->second.collectives,
                                      index_of(function)});
    } else if (is_in(of_one_request, function)) {
        const auto known = std::ranges::find(under_way_, call.request, &Request::number);
        if (known != under_way_.end()) add(open, **known);
    } else if (is_in(of_all_requests, function) || is_in(of_some_requests, function)) {
        open.needs_all = is_in(of_all_requests, function);
        for (const Request* request : under_way_) add(open, *request);
    } else if (call.communicator != OVNI_MPI_NO_OBJECT &&
               (record == MpiRecord::Send || record == MpiRecord::Receive || record == MpiRecord::Exchange ||
                record == MpiRecord::Probe)) {
        open.waits_for.push_back(
            {kind_awaited(record), call.peer, call.tag, id_of(call.communicator), 0, index_of(function)});
    }
}

// Collectives are missing, or threads have begun them in an unknown order.
bool lacks_turns(const CallReader& process) {
    size_t threads = 0;
    for (size_t t = 0; t < process.thread_count(); ++t)
        threads += process.thread(t).has_collectives && !process.thread(t).is_damaged;
    return threads > 1 || process.has_gaps();
}

}  // namespace

uint32_t EndOfProcess::turns_on(uint64_t communicator) const {
    uint32_t most = 0;
    for (const auto& [number, count] : turns)
        if (communicators.id_of(number) == communicator) most = std::max(most, count);
    return most;
}

EndOfProcess end_of_process(uint32_t process, const CallReader& reader, bool begins_inside) {
    EndOfProcess end;
    end.open = {process, reader.is_finalizing(), !begins_inside && !lacks_turns(reader), {}};
    const OpenCallReader calls(reader);
    for (size_t t = 0; t < reader.thread_count(); ++t)
        if (const CallThread& thread = reader.thread(t); thread.call.function && !thread.is_damaged)
            end.open.calls.push_back(calls.read(thread));
    std::ranges::sort(end.open.calls, {}, &OpenCall::stream);
    end.communicators = reader.communicators();
    for (const auto& [number, turns] : reader.turns()) end.turns[number] = turns.collectives;
    return end;
}

}  // namespace ovni
