#include "messages/waits/waits.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <tuple>
#include <utility>

#include "messages/waits/collective_flow.hpp"
#include "messages/waits/failed_tests.hpp"
#include "messages/waits/longest_of_calls.hpp"
#include "mpi_function_rows.hpp"

namespace ovni {

namespace {

bool has_name_with(uint16_t function, std::string_view begin) {
    return function < std::size(mpi_function_rows) && mpi_function_rows[function].name.starts_with(begin);
}

bool asks_only(uint16_t function) {
    return has_name_with(function, "MPI_Test");
}

// The messages that a process receives, one after the other, and some of those that follow.
class Receives {
 public:
    explicit Receives(const PackedMessages& received) : reader_(received) {}

    // Null at the end.
    const Arrival* next() {
        if (!near_.empty()) near_.pop_front();
        reach(1);
        return near_.empty() ? nullptr : &near_.front();
    }
    // A message that was sent before the last one is received later.
    bool is_overtaken() {
        constexpr size_t looked_at = 100;
        reach(1 + looked_at);
        const Arrival& last = near_.front();
        return std::any_of(near_.begin() + 1, near_.end(), [&](const Arrival& later) {
            return later.receive_wait_end > last.receive_wait_end && later.send_posted < last.send_posted;
        });
    }

 private:
    void reach(size_t count) {
        while (near_.size() < count) {
            const Message* message = reader_.next();
            if (!message) return;
            near_.push_back(*message);
        }
    }

    MessageReader reader_;
    std::deque<Arrival> near_;
};

// The member that enters last, of some.
template <class Counts>
const CollectiveEnd* latest(std::span<const CollectiveEnd> members, Counts counts) {
    const CollectiveEnd* last = nullptr;
    for (const CollectiveEnd& member : members)
        if (counts(member) && (!last || member.enter > last->enter)) last = &member;
    return last;
}

class WaitsAtCollective {
 public:
    explicit WaitsAtCollective(std::span<const CollectiveEnd> members)
        : are_all_(members.empty() || members.size() >= members[0].size) {}

    // All wait for the last one, and until the first one leaves.
    void add_all(std::span<const CollectiveEnd> members, WaitKind kind) {
        if (members.empty()) return;
        const int64_t first_leave = std::ranges::min(members, {}, &CollectiveEnd::wait_end).wait_end;
        const CollectiveEnd* last = latest(members, [](const CollectiveEnd&) { return true; });
        for (const CollectiveEnd& member : members) {
            add(member, last, kind);
            // A member that was not recorded may have been the last.
            if (are_all_) add_completion(member, std::max(first_leave, last->enter));
        }
    }
    // All wait for the last one, which is proven if none leaves before it enters. Else each waits at most for
    // the last one that enters before it leaves.
    void add_members(std::span<const CollectiveEnd> members) {
        const CollectiveEnd* last = latest(members, [](const CollectiveEnd&) { return true; });
        const int64_t first_leave = std::ranges::min(members, {}, &CollectiveEnd::wait_end).wait_end;
        const bool is_proven = are_all_ && first_leave >= last->enter;
        for (const CollectiveEnd& member : members)
            if (is_proven)
                add(member, last, WaitKind::members);
            else
                add(member,
                    latest(members, [&](const CollectiveEnd& m) { return m.enter <= member.wait_end; }),
                    WaitKind::members_at_most);
    }
    // `member` waits until `cause` has entered.
    void add(const CollectiveEnd& member, const CollectiveEnd* cause, WaitKind kind) {
        if (!cause || !waits(member)) return;
        Wait wait;
        wait.begin = member.wait_begin;
        wait.end = std::min(cause->enter, member.wait_end);
        wait.cause_time = cause->enter;
        wait.cause_stream = cause->stream;
        wait.kind = kind;
        add(member, wait);
    }
    void add_completion(const CollectiveEnd& member, int64_t from) {
        if (!waits(member)) return;
        Wait wait;
        wait.begin = std::max(from, member.wait_begin);
        wait.end = member.wait_end;
        wait.cause_time = from;
        wait.cause_stream = MessageEnd::no_stream;
        wait.kind = WaitKind::completion;
        add(member, wait);
    }
    std::vector<Wait> take() { return std::move(waits_); }

 private:
    static bool waits(const CollectiveEnd& member) {
        return member.completed_in != MessageEnd::no_stream && !asks_only(member.completed_by);
    }
    void add(const CollectiveEnd& member, Wait wait) {
        wait.stream = member.completed_in;
        wait.function = member.completed_by;
        if (wait.end > wait.begin) waits_.push_back(wait);
    }

    const bool are_all_;  // members of the communicator
    std::vector<Wait> waits_;
};

// The members that an n to n makes wait: all, or those that receive and the last one that sends.
std::vector<CollectiveEnd> that_overlap(std::span<const CollectiveEnd> members) {
    const int64_t first_leave = std::ranges::min(members, {}, &CollectiveEnd::wait_end).wait_end;
    std::vector<CollectiveEnd> counted(members.begin(), members.end());
    if (first_leave >= latest(members, [](const CollectiveEnd&) { return true; })->enter) return counted;
    const CollectiveEnd* last = latest(members, [](const CollectiveEnd& m) { return m.sent > 0; });
    std::erase_if(counted, [&](const CollectiveEnd& m) {
        return !last || (m.rank != last->rank && (m.received == 0 || m.enter >= last->enter));
    });
    return counted;
}

Wait late_sender(const Arrival& message) {
    Wait wait;
    wait.begin = message.receive_wait_begin;
    wait.end = std::min(message.send_posted, message.receive_wait_end);
    wait.cause_time = message.send_posted;
    wait.stream = message.receive_completed_in;
    wait.cause_stream = message.send_stream;
    wait.function = message.receive_completed_by;
    wait.kind = WaitKind::late_sender;
    return wait;
}

// Null if no probe had found the message.
const ProbedReceive* probe_of(const Arrival& message, std::span<const ProbedReceive> probed) {
    const auto place = [](const auto& receive) { return std::tuple(receive.stream, receive.offset); };
    const auto found = std::ranges::lower_bound(
        probed, std::tuple(message.receive_stream, message.receive_offset), {}, place);
    if (found == probed.end() || found->stream != message.receive_stream ||
        found->offset != message.receive_offset)
        return nullptr;
    return &*found;
}

// MPI_Probe waits as a receive does; a loop of MPI_Iprobe is a run of failed tests.
Wait wait_of_probe(const ProbedReceive& probe, const Arrival& message, const ProcessTimes* times) {
    Arrival found = message;
    found.receive_wait_begin = probe.enter;
    found.receive_wait_end = probe.leave;
    found.receive_completed_in = probe.probe_stream;
    found.receive_completed_by = probe.function;
    const bool asks = has_name_with(probe.function, "MPI_I");
    if (!asks) return late_sender(found);
    found.receive_posted = INT64_MIN;
    return times && times->stream == probe.probe_stream ? failed_tests(found, times->calls) : Wait();
}

}  // namespace

bool is_received_before(const Message& a, const Message& b) {
    const auto order = [](const Message& m) {
        return std::tie(m.receive_wait_end, m.receive_completed_in, m.send_stream, m.send_offset,
                        m.receive_stream, m.receive_offset);
    };
    return a.receive_wait_end != b.receive_wait_end ? a.receive_wait_end < b.receive_wait_end
                                                    : order(a) < order(b);
}

Waits waits_of_receiver(const PackedMessages& received, const ProcessTimes* times,
                        std::span<const ProbedReceive> probed) {
    LongestOfCalls calls;
    Receives receives(received);
    while (const Arrival* next = receives.next()) {
        const Arrival& message = *next;
        if (const ProbedReceive* probe = probe_of(message, probed)) {
            const Wait wait = wait_of_probe(*probe, message, times);
            if (wait.length() > 0) calls.take(wait, probe->enter);
        }
        if (asks_only(message.receive_completed_by)) {
            if (!times || times->stream != message.receive_completed_in) continue;
            if (const Wait wait = failed_tests(message, times->calls); wait.length() > 0)
                calls.take(wait, message.receive_wait_begin);
            continue;
        }
        Wait wait = late_sender(message);
        if (wait.end <= wait.begin) continue;
        if (receives.is_overtaken()) wait.kind = WaitKind::late_sender_wrong_order;
        calls.take(wait);
    }
    return std::move(calls).all();
}

void WaitsOfSenders::take(const Message& message) {
    if (message.send_completed_in == MessageEnd::no_stream || asks_only(message.send_completed_by)) return;
    if (message.send_wait_end <= message.receive_posted) return;
    Wait wait;
    wait.begin = message.send_wait_begin;
    wait.end = wait.cause_time = message.receive_posted;
    wait.stream = message.send_completed_in;
    wait.cause_stream = message.receive_stream;
    wait.function = message.send_completed_by;
    wait.kind = WaitKind::late_receiver;
    if (wait.end > wait.begin) longest_.take(wait);
}

Waits WaitsOfSenders::but_for(std::span<const Wait> late) && {
    TableVector<CallPlace> taken;
    taken.reserve(late.size());
    for (const Wait& wait : late) taken.emplace_back(wait.stream, wait.begin);
    if (!std::ranges::is_sorted(taken)) std::ranges::sort(taken);
    Waits waits = std::move(longest_).all();
    std::erase_if(waits, [&](const Wait& wait) {
        return std::ranges::binary_search(taken, CallPlace{wait.stream, wait.begin});
    });
    return waits;
}

std::vector<Wait> waits_at(std::span<const CollectiveEnd> members) {
    const CollectiveFlow flow = members.empty() ? CollectiveFlow::none : flow_of(members[0].function);
    WaitsAtCollective waits(members);
    auto moves_data = [&] {
        return std::ranges::any_of(members, [](const CollectiveEnd& m) { return m.sent + m.received > 0; });
    };
    switch (flow) {
        case CollectiveFlow::none:
            break;
        case CollectiveFlow::barrier:
            waits.add_all(members, WaitKind::barrier);
            break;
        case CollectiveFlow::fence:
            waits.add_all(members, WaitKind::fence);
            break;
        case CollectiveFlow::n_to_n:
            if (moves_data()) waits.add_all(that_overlap(members), WaitKind::n_to_n);
            break;
        case CollectiveFlow::neighbours:
            for (const CollectiveEnd& member : members)
                if (moves_data())
                    waits.add(
                        member,
                        latest(members, [&](const CollectiveEnd& m) { return m.enter <= member.wait_end; }),
                        WaitKind::neighbours);
            break;
        case CollectiveFlow::from_root: {
            const CollectiveEnd* root =
                latest(members, [](const CollectiveEnd& m) { return m.rank == m.root; });
            for (const CollectiveEnd& member : members)
                if (&member != root && moves_data()) waits.add(member, root, WaitKind::late_broadcast);
            break;
        }
        case CollectiveFlow::to_root:
            for (const CollectiveEnd& member : members)
                if (member.rank == member.root && moves_data())
                    waits.add(member, latest(members, [&](const CollectiveEnd& m) { return &m != &member; }),
                              WaitKind::early_reduce);
            break;
        case CollectiveFlow::members:
            waits.add_members(members);
            break;
        case CollectiveFlow::scan:
            for (const CollectiveEnd& member : members)
                waits.add(member,
                          latest(members, [&](const CollectiveEnd& m) { return m.rank < member.rank; }),
                          WaitKind::early_scan);
            break;
    }
    return waits.take();
}

// If a trace has a rank twice, it is unknown which of its calls belong to those of the others.
std::vector<Wait> waits_at_world_call(std::span<const CollectiveEnd> members) {
    const bool is_twice = std::ranges::adjacent_find(members, {}, &CollectiveEnd::rank) != members.end();
    const CollectiveEnd* last = latest(members, [](const CollectiveEnd& m) { return m.behind_gap == 0; });
    if (is_twice || !last || std::ranges::min(members, {}, &CollectiveEnd::leave).leave < last->enter)
        return {};
    WaitsAtCollective waits(members);
    for (const CollectiveEnd& member : members) waits.add(member, last, WaitKind::start_or_end);
    return waits.take();
}

}  // namespace ovni
