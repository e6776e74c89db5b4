#include "messages/waits/waits.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include "messages/waits/collective_flow.hpp"
#include "messages/waits/failed_tests.hpp"
#include "mpi_function_rows.hpp"

namespace ovni {

namespace {

// A call: its stream, and its enter there.
using CallPlace = std::pair<uint32_t, int64_t>;

bool has_name_with(uint16_t function, std::string_view begin) {
    return function < std::size(mpi_function_rows) && mpi_function_rows[function].name.starts_with(begin);
}

bool asks_only(uint16_t function) {
    return has_name_with(function, "MPI_Test");
}

// The longest wait of each call, in the order of calls; of equal ones the first that was taken. Waits are
// mostly taken in that order.
class LongestOfCalls {
 public:
    void take(const Wait& wait) { take(wait, wait.begin); }
    // `enter`: of the call.
    void take(const Wait& wait, int64_t enter) {
        const CallPlace call{wait.stream, enter};
        if (!waits_.empty() && call_of(waits_.size() - 1) >= call) {
            if (call_of(waits_.size() - 1) == call) return keep_longer(waits_.back(), wait);
            is_sorted_ = false;
        }
        waits_.push_back(wait);
        enters_.push_back(enter);
    }
    std::vector<Wait> all() && { return is_sorted_ ? std::move(waits_) : sorted(); }

 private:
    CallPlace call_of(size_t taken) const { return {waits_[taken].stream, enters_[taken]}; }
    static void keep_longer(Wait& longest, const Wait& wait) {
        if (wait.length() > longest.length()) longest = wait;
    }
    std::vector<Wait> sorted() const {
        const auto call = [&](size_t taken) { return call_of(taken); };
        std::vector<size_t> order(waits_.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::ranges::stable_sort(order, {}, call);
        std::vector<Wait> all;
        for (size_t i = 0; i < order.size(); ++i)
            if (i > 0 && call(order[i]) == call(order[i - 1]))
                keep_longer(all.back(), waits_[order[i]]);
            else
                all.push_back(waits_[order[i]]);
        return all;
    }

    std::vector<Wait> waits_;
    std::vector<int64_t> enters_;  // of the calls
    bool is_sorted_ = true;
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

// Those that an n to n makes wait: all, or those who receive and the last who sends.
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

}  // namespace

std::vector<Wait> waits_of_receiver(std::vector<const Arrival*> received, const ProcessTimes* times) {
    // Whether a message that was sent before is received later.
    constexpr size_t looked_at = 100;
    std::erase_if(received,
                  [](const Arrival* m) { return m->receive_completed_in == MessageEnd::no_stream; });
    auto ends_before = [](const Arrival* a, const Arrival* b) {
        auto order = [](const Arrival& m) {
            return std::tie(m.receive_wait_end, m.receive_completed_in, m.send_stream, m.send_offset,
                            m.receive_stream, m.receive_offset);
        };
        return a->receive_wait_end != b->receive_wait_end ? a->receive_wait_end < b->receive_wait_end
                                                          : order(*a) < order(*b);
    };
    if (!std::ranges::is_sorted(received, ends_before)) std::ranges::sort(received, ends_before);
    auto overtakes = [&](size_t at) {
        const size_t end = std::min(received.size(), at + 1 + looked_at);
        for (size_t later = at + 1; later < end; ++later)
            if (received[later]->receive_wait_end > received[at]->receive_wait_end &&
                received[later]->send_posted < received[at]->send_posted)
                return true;
        return false;
    };
    LongestOfCalls calls;
    for (size_t at = 0; at < received.size(); ++at) {
        const Arrival& message = *received[at];
        if (asks_only(message.receive_completed_by)) {
            if (!times || times->stream != message.receive_completed_in) continue;
            if (const Wait wait = failed_tests(message, times->calls); wait.length() > 0)
                calls.take(wait, message.receive_wait_begin);
            continue;
        }
        Wait wait;
        wait.begin = message.receive_wait_begin;
        wait.end = std::min(message.send_posted, message.receive_wait_end);
        wait.cause_time = message.send_posted;
        wait.stream = message.receive_completed_in;
        wait.cause_stream = message.send_stream;
        wait.function = message.receive_completed_by;
        if (wait.end <= wait.begin) continue;
        wait.kind = overtakes(at) ? WaitKind::late_sender_wrong_order : WaitKind::late_sender;
        calls.take(wait);
    }
    return std::move(calls).all();
}

std::vector<Wait> waits_of_sender(std::span<const Message> messages, std::span<const Wait> late) {
    std::vector<CallPlace> taken;
    taken.reserve(late.size());
    for (const Wait& wait : late) taken.emplace_back(wait.stream, wait.begin);
    if (!std::ranges::is_sorted(taken)) std::ranges::sort(taken);
    LongestOfCalls calls;
    for (const Message& message : messages) {
        if (message.send_completed_in == MessageEnd::no_stream || asks_only(message.send_completed_by))
            continue;
        if (message.send_wait_end <= message.receive_posted) continue;
        Wait wait;
        wait.begin = message.send_wait_begin;
        wait.end = wait.cause_time = message.receive_posted;
        wait.stream = message.send_completed_in;
        wait.cause_stream = message.receive_stream;
        wait.function = message.send_completed_by;
        wait.kind = WaitKind::late_receiver;
        const CallPlace call{wait.stream, wait.begin};
        if (wait.end > wait.begin && !std::ranges::binary_search(taken, call)) calls.take(wait);
    }
    return std::move(calls).all();
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
        case CollectiveFlow::scan:
            for (const CollectiveEnd& member : members)
                waits.add(member,
                          latest(members, [&](const CollectiveEnd& m) { return m.rank < member.rank; }),
                          WaitKind::early_scan);
            break;
    }
    return waits.take();
}

// A trace that has a rank twice does not tell which of its calls met those of the others.
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
