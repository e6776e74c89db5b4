#include "messages/match/find_messages.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "messages/match/dealt_ends.hpp"
#include "messages/match/matching.hpp"
#include "messages/match/message_groups.hpp"
#include "messages/match/stream_owners.hpp"
#include "messages/scan/members_wire.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

using Side = KeyOfProcess::Side;
using Counts = MessageSummary::ByCause;

void add(Traffic& sum, const Traffic& more) {
    sum = {more.sender, more.receiver, sum.messages + more.messages, sum.bytes + more.bytes};
}

struct EndsOfOneKey {
    std::span<DealtEnds> sends, receives;
};

// Each is a part of `all`, which deal_ends() has put in order.
std::vector<EndsOfOneKey> by_key(std::span<DealtEnds> all) {
    std::vector<EndsOfOneKey> keys;
    for (size_t i = 0; i < all.size();) {
        const auto end_of = [&](size_t from, Side side) {
            while (from < all.size() && all[from].key.key == all[i].key.key && all[from].key.side == side)
                ++from;
            return from;
        };
        const size_t middle = end_of(i, Side::sends), end = end_of(middle, Side::receives);
        keys.push_back({all.subspan(i, middle - i), all.subspan(middle, end - middle)});
        i = end;
    }
    return keys;
}

// Matches the ends of all keys of a rank.
class Matcher {
 public:
    // `freed`: see MessageEnds, of all ranks.
    Matcher(const Ranks& ranks, const Trace& trace, const System& system, const MessageGroups& groups,
            const std::vector<uint64_t>& gaps, const std::vector<MessageKey>& freed)
        : rank_(static_cast<size_t>(ranks.rank())),
          trace_(trace),
          system_(system),
          groups_(groups),
          gaps_(gaps),
          freed_(freed.begin(), freed.end()),
          all_gaps_(std::accumulate(gaps.begin(), gaps.end(), uint64_t{0}, std::bit_or())),
          lacks_processes_(groups.lack_processes()),
          sent_(trace.streams().size()),
          elsewhere_(static_cast<size_t>(ranks.size())) {}

    void match(const EndsOfOneKey& parts);
    // Messages whose senders this rank has, and those whose senders other ranks have.
    SentMessages& sent() { return sent_; }
    PerRank<TableVector<Message>>& elsewhere() { return elsewhere_; }
    std::vector<UnmatchedEnd>& unmatched() { return unmatched_; }
    MessageSummary& summary() { return summary_; }
    std::vector<Traffic> traffic() const;

 private:
    Unmatched cause_of(const MessageKey& key, bool is_realigned) const;
    Unmatched cause_of_unknown() const;
    bool may_be_freed(const MessageKey& key) const;
    bool has_ended_early(uint32_t process) const;
    void count(const Message& message, Traffic& traffic);
    void set_causes(std::span<UnmatchedEnd> ends, Unmatched cause);

    const size_t rank_;
    const Trace& trace_;
    const System& system_;
    const MessageGroups& groups_;
    const std::vector<uint64_t>& gaps_;
    const std::set<MessageKey> freed_;
    const uint64_t all_gaps_;  // of any process
    const bool lacks_processes_;
    SentMessages sent_;
    PerRank<TableVector<Message>> elsewhere_;
    std::vector<UnmatchedEnd> unmatched_;
    MessageSummary summary_;
    std::map<std::pair<uint32_t, uint32_t>, Traffic> traffic_;
};

Message message_of(const MessageEnd& send, const MessageEnd& receive, const MessageKey& key) {
    Message message;
    message.send_posted = send.posted;
    message.send_left = send.left;
    message.send_wait_begin = send.wait_begin;
    message.send_wait_end = send.wait_end;
    message.receive_posted = receive.posted;
    message.receive_wait_begin = receive.wait_begin;
    message.receive_wait_end = receive.wait_end;
    message.bytes = receive.bytes == MessageEnd::unknown_bytes ? send.bytes : receive.bytes;
    message.communicator = key.communicator;
    message.send_offset = send.offset;
    message.receive_offset = receive.offset;
    message.send_stream = send.stream;
    message.send_completed_in = send.completed_in;
    message.receive_stream = receive.stream;
    message.receive_completed_in = receive.completed_in;
    message.tag = key.tag;
    message.send_function = send.function;
    message.receive_function = receive.function;
    message.send_completed_by = send.completed_by;
    message.receive_completed_by = receive.completed_by;
    return message;
}

// Unmatched::count: the cause depends on the key.
Unmatched cause_of(Partner partner) {
    if (partner == Partner::unrecorded) return Unmatched::off;
    return partner == Partner::freed ? Unmatched::freed : Unmatched::count;
}

// Either `send` or `receive` is null.
UnmatchedEnd unmatched_of(const MessageEnd* send, const MessageEnd* receive, const MessageKey& key,
                          Unmatched cause) {
    UnmatchedEnd unmatched;
    unmatched.end = send ? *send : *receive;
    unmatched.communicator = key.communicator;
    unmatched.peer = send ? key.receiver : key.sender;
    unmatched.tag = key.tag;
    unmatched.is_send = send ? 1 : 0;
    unmatched.cause = static_cast<uint32_t>(cause);
    return unmatched;
}

// Unpacked and sorted.
std::vector<MessageEnd> sorted(std::span<const DealtEnds> parts) {
    std::vector<MessageEnd> all;
    for (const DealtEnds& part : parts) {
        EndsReader reader(part.ends);
        for (MessageEnd end; reader.next(end);) all.push_back(end);
    }
    std::ranges::sort(all, is_posted_before);
    return all;
}

// Several processes have one side of a key if the trace has a rank twice.
bool are_in_order(std::span<const DealtEnds> side) {
    return side.size() == 1 && side[0].ends.facts().is_sorted != 0;
}

void Matcher::match(const EndsOfOneKey& parts) {
    const auto& [sends, receives] = parts;
    const MessageKey& key = (sends.empty() ? receives : sends)[0].key.key;
    std::vector<MessageEnd> room_of_sends, room_of_receives;
    if (!are_in_order(sends)) room_of_sends = sorted(sends);
    if (!are_in_order(receives)) room_of_receives = sorted(receives);
    const EndsOfKey ends{
        are_in_order(sends) ? sends_in(sends[0].ends) : sends_in(room_of_sends),
        are_in_order(receives) ? receives_in(receives[0].ends) : receives_in(room_of_receives),
        !sends.empty() && !receives.empty() &&
            system_.processes()[sends[0].key.process].loom ==
                system_.processes()[receives[0].key.process].loom};
    Traffic traffic;
    if (!sends.empty()) traffic.sender = sends[0].key.process;
    if (!receives.empty()) traffic.receiver = receives[0].key.process;
    const size_t first_unmatched = unmatched_.size();
    auto take = [&](const MessageEnd* send, const MessageEnd* receive, Partner partner) {
        if (!send || !receive) {
            unmatched_.push_back(unmatched_of(send, receive, key, ovni::cause_of(partner)));
            return;
        }
        const Message message = message_of(*send, *receive, key);
        count(message, traffic);
        if (const auto from = static_cast<size_t>(sends[0].from); from == rank_)
            sent_.add(message);
        else
            elsewhere_[from].push_back(message);
    };
    const MatchCounts counts = ovni::match(ends, take);
    if (counts.matched > 0) {
        ++summary_.keys;
        add(traffic_[{traffic.sender, traffic.receiver}], traffic);
    }
    summary_.realigned += counts.is_realigned;
    summary_.unordered += counts.is_unordered;
    if (unmatched_.size() > first_unmatched)
        set_causes(std::span(unmatched_).subspan(first_unmatched), cause_of(key, counts.is_realigned));
}

// A freed receive of any sender or tag may have taken a message of the key.
bool Matcher::may_be_freed(const MessageKey& key) const {
    MessageKey receive = key;
    receive.made = receive.start = 0;
    for (int32_t sender : {key.sender, int32_t{OVNI_MPI_ANY}})
        for (int32_t tag : {key.tag, int32_t{OVNI_MPI_ANY}}) {
            receive.sender = sender;
            receive.tag = tag;
            if (freed_.contains(receive)) return true;
        }
    return false;
}

// `cause` applies to ends whose cause is still unset.
void Matcher::set_causes(std::span<UnmatchedEnd> ends, Unmatched cause) {
    for (UnmatchedEnd& end : ends) {
        if (end.cause == static_cast<uint32_t>(Unmatched::count)) end.cause = static_cast<uint32_t>(cause);
        ++(end.is_send ? summary_.sends : summary_.receives)[end.cause];
    }
}

void Matcher::count(const Message& message, Traffic& traffic) {
    const uint64_t bytes = message.bytes == MessageEnd::unknown_bytes ? 0 : message.bytes;
    ++summary_.matched;
    summary_.bytes += bytes;
    ++summary_.sizes[static_cast<size_t>(std::bit_width(bytes))];
    summary_.backward += message.receive_wait_end < message.send_posted;
    ++traffic.messages;
    traffic.bytes += bytes;
}

// No list has the members of the communicator.
Unmatched Matcher::cause_of_unknown() const {
    constexpr uint64_t any_gap = GapsOfProcess::pauses | GapsOfProcess::losses;
    if (lacks_processes_ || (all_gaps_ & any_gap) == 0) return Unmatched::not_recorded;
    return all_gaps_ & GapsOfProcess::losses ? Unmatched::gap : Unmatched::off;
}

// A damaged stream lacks events, whatever ended the others.
bool Matcher::has_ended_early(uint32_t process) const {
    const ProcessInfo& info = system_.processes()[process];
    bool has_end = false;
    for (uint32_t t = 0; t < info.thread_count; ++t) {
        const auto& end = trace_.streams()[system_.threads()[info.first_thread + t].stream].metadata.end;
        if (end && end->by == "damage") return false;
        has_end = has_end || end;
    }
    return has_end;
}

Unmatched Matcher::cause_of(const MessageKey& key, bool is_realigned) const {
    const uint32_t sender = groups_.sender(key), receiver = groups_.receiver(key);
    if (sender == MessageGroups::unknown || receiver == MessageGroups::unknown) return cause_of_unknown();
    const uint64_t gaps = gaps_[sender] | gaps_[receiver];
    if (gaps & GapsOfProcess::without_events) return Unmatched::not_recorded;
    const auto has_lost = [&](uint32_t process) {
        const bool is_only_cut = gaps_[process] & GapsOfProcess::only_cut && has_ended_early(process);
        return gaps_[process] & GapsOfProcess::losses && !is_only_cut;
    };
    if (has_lost(sender) || has_lost(receiver)) return Unmatched::gap;
    if (is_realigned) return Unmatched::out_of_step;
    if (may_be_freed(key)) return Unmatched::freed;
    if (gaps & GapsOfProcess::ends_in_doubt) return Unmatched::off;
    if (has_ended_early(sender) || has_ended_early(receiver)) return Unmatched::ended_early;
    return Unmatched::no_partner;
}

std::vector<Traffic> Matcher::traffic() const {
    std::vector<Traffic> all;
    for (const auto& [pair, traffic] : traffic_) all.push_back(traffic);
    return all;
}

template <size_t size>
void add_all(const Ranks& ranks, std::array<uint64_t, size>& counts) {
    std::vector<uint64_t> sums =
        ranks.allreduce(Op::sum, std::vector<uint64_t>(counts.begin(), counts.end()));
    std::ranges::copy(sums, counts.begin());
}

// Pairs of processes have several keys, which several ranks may own.
std::vector<Traffic> gather_traffic(const Ranks& ranks, const std::vector<Traffic>& mine) {
    std::map<std::pair<uint32_t, uint32_t>, Traffic> sums;
    for (const Traffic& traffic : ranks.gather_joined(mine))
        add(sums[{traffic.sender, traffic.receiver}], traffic);
    std::vector<Traffic> all;
    for (const auto& [pair, traffic] : sums) all.push_back(traffic);
    return all;
}

void gather(const Ranks& ranks, MessageSummary& summary, const std::vector<Traffic>& traffic) {
    std::array<uint64_t, 7> numbers = {summary.matched,
                                       summary.bytes,
                                       summary.keys,
                                       summary.realigned,
                                       summary.unordered,
                                       summary.backward,
                                       summary.unknown_communicator};
    add_all(ranks, numbers);
    summary.matched = numbers[0], summary.bytes = numbers[1], summary.keys = numbers[2];
    summary.realigned = numbers[3], summary.unordered = numbers[4], summary.backward = numbers[5];
    summary.unknown_communicator = numbers[6];
    add_all(ranks, summary.sends);
    add_all(ranks, summary.receives);
    add_all(ranks, summary.sizes);
    summary.traffic = gather_traffic(ranks, traffic);
}

template <class Items>
void move_all(Items& from, Items& to) {
    if (to.empty())
        to = std::move(from);
    else
        std::ranges::move(from, std::back_inserter(to));
    from = Items();
}

void move_all(FoundObjects& from, FoundObjects& to) {
    const auto first = static_cast<uint32_t>(to.objects.size());
    for (ObjectCall& call : from.calls) call.object += first;
    move_all(from.objects, to.objects);
    move_all(from.calls, to.calls);
}

// Group of the sender in an intercommunicator.
void find_group(KeyOfProcess& key, const MessageGroups& groups) {
    if (key.is_inter == 0) return;
    const uint32_t mine_is = groups.group_of(key.key.communicator, key.process);
    key.key.group = key.side == Side::sends ? mine_is : 1 - mine_is;
}

// The freed receives of all ranks.
std::vector<MessageKey> freed_receives(const Ranks& ranks, const std::vector<KeyOfProcess>& mine) {
    std::vector<MessageKey> keys;
    for (const KeyOfProcess& of : mine) keys.push_back(of.key);
    return ranks.broadcast(ranks.gather_joined(keys));
}

// All but ends and keys of messages, which stay.
MessageEnds other_than_ends(std::span<MessageEnds> groups) {
    MessageEnds all;
    for (MessageEnds& group : groups) {
        move_all(group.collectives, all.collectives);
        move_all(group.world_calls, all.world_calls);
        move_all(group.freed, all.freed);
        move_all(group.regions, all.regions);
        move_all(group.times, all.times);
        move_all(group.probed, all.probed);
        move_all(group.objects, all.objects);
        all.without_communicator += group.without_communicator;
    }
    return all;
}

}  // namespace

bool MessageSummary::is_empty() const {
    auto sum = [](const Counts& counts) {
        return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
    };
    return matched + sum(sends) + sum(receives) + unknown_communicator == 0;
}

FoundMessages find_messages(const Ranks& ranks, const Trace& trace, const System& system,
                            const StreamOwners& owners, Scanned& scanned) {
    std::vector<MessageEnds>& ends = scanned.ends;
    const std::vector<uint64_t> gaps = ranks.allreduce(Op::max, scanned.gaps);
    const MessageGroups groups(system, wire::allgather(ranks, scanned.members));
    for (MessageEnds& of_group : ends)
        for (auto* keys : {&of_group.keys, &of_group.freed})
            for (KeyOfProcess& key : *keys) find_group(key, groups);
    // Then most messages are found on the rank that needs them.
    const auto rank_of_sender = [&](const MessageKey& key) -> std::optional<size_t> {
        const uint32_t sender = groups.sender(key);
        if (sender == MessageGroups::unknown) return std::nullopt;
        return owners.of_process(sender);
    };
    std::vector<DealtEnds> dealt = deal_ends(ranks, ends, rank_of_sender);
    FoundMessages found;
    found.others = other_than_ends(ends);
    ends = std::vector<MessageEnds>();
    Matcher matcher(ranks, trace, system, groups, gaps, freed_receives(ranks, found.others.freed));
    matcher.summary().unknown_communicator = found.others.without_communicator;
    ranks.agree([&] {
        for (const EndsOfOneKey& key : by_key(dealt)) {
            matcher.match(key);
            for (DealtEnds& part : key.sends) part.ends = {};
            for (DealtEnds& part : key.receives) part.ends = {};
        }
    });
    dealt = std::vector<DealtEnds>();
    found.messages = std::move(matcher.sent());
    for (const Message& message : ranks.alltoallv_joined(std::move(matcher.elsewhere())))
        found.messages.add(message);
    found.messages.sort();
    found.unmatched = std::move(matcher.unmatched());
    found.summary = std::move(matcher.summary());
    gather(ranks, found.summary, matcher.traffic());
    return found;
}

}  // namespace ovni
