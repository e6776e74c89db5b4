#include "messages/find_messages.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "base/wire.hpp"
#include "messages/matching.hpp"
#include "messages/message_groups.hpp"
#include "messages/open_trace.hpp"
#include "messages/read_ends.hpp"

namespace ovni {

// Found by the argument, so not in a namespace without a name.
static auto fields(MemberList& list) {
    return std::tie(list.communicator, list.flags, list.size, list.world, list.process, list.members);
}

namespace {

using Side = KeyOfProcess::Side;
using Counts = MessageSummary::ByCause;

// Some ends of one key, in front of them on their way.
struct Parcel {
    KeyOfProcess key;
    uint64_t ends = 0;
};

uint64_t hash(const MessageKey& key) {
    uint64_t x = key.communicator;
    for (uint64_t part :
         {uint64_t{key.scope} << 32 | key.group,
          uint64_t{static_cast<uint32_t>(key.sender)} << 32 | static_cast<uint32_t>(key.receiver),
          uint64_t{static_cast<uint32_t>(key.tag)}}) {
        x = (x ^ part) * 0x9e3779b97f4a7c15u;
        x ^= x >> 32;
    }
    return x;
}

bool comes_before(const MessageEnd& a, const MessageEnd& b) {
    return std::tie(a.order, a.stream, a.offset) < std::tie(b.order, b.stream, b.offset);
}

// The ends of all ranks whose keys are this rank's.
class DealtEnds {
 public:
    // Takes the ends from `found`. Collective.
    DealtEnds(const Ranks& ranks, MessageEnds& found);

    // The ends of one side of one key that one rank has sent, in the order of keys.
    struct Part {
        KeyOfProcess key;
        int from = 0;  // rank
        std::span<MessageEnd> ends;
    };
    const std::vector<Part>& parts() const { return parts_; }

 private:
    // Calls take(key, its ends) for each key.
    template <class Take>
    static void visit_keys(std::vector<MessageEnd>& ends, Take take);
    void exchange(const Ranks& ranks, MessageEnds& found);

    PerRank<std::vector<MessageEnd>> ends_;
    std::vector<Part> parts_;
};

DealtEnds::DealtEnds(const Ranks& ranks, MessageEnds& found) {
    std::ranges::sort(found.ends, [](const MessageEnd& a, const MessageEnd& b) {
        return a.key != b.key ? a.key < b.key : comes_before(a, b);
    });
    if (ranks.is_alone()) {
        ends_.push_back(std::move(found.ends));
        visit_keys(ends_[0], [&](uint32_t key, std::span<MessageEnd> of_key) {
            parts_.push_back({found.keys[key], 0, of_key});
        });
    } else {
        exchange(ranks, found);
    }
    std::ranges::stable_sort(parts_, {}, [](const Part& part) { return part.key; });
}

template <class Take>
void DealtEnds::visit_keys(std::vector<MessageEnd>& ends, Take take) {
    for (size_t i = 0; i < ends.size();) {
        size_t end = i;
        while (end < ends.size() && ends[end].key == ends[i].key) ++end;
        take(ends[i].key, std::span(ends).subspan(i, end - i));
        i = end;
    }
}

void DealtEnds::exchange(const Ranks& ranks, MessageEnds& found) {
    const auto size = static_cast<uint64_t>(ranks.size());
    PerRank<std::vector<Parcel>> parcels(size);
    PerRank<std::vector<MessageEnd>> ends(size);
    visit_keys(found.ends, [&](uint32_t key, std::span<MessageEnd> of_key) {
        const size_t owner = hash(found.keys[key].key) % size;
        parcels[owner].push_back({found.keys[key], of_key.size()});
        ends[owner].insert(ends[owner].end(), of_key.begin(), of_key.end());
    });
    found.ends = {};
    PerRank<std::span<const Parcel>> parcels_to(parcels.begin(), parcels.end());
    PerRank<std::span<const MessageEnd>> ends_to(ends.begin(), ends.end());
    const PerRank<std::vector<Parcel>> dealt = ranks.alltoallv(parcels_to);
    ends_ = ranks.alltoallv(ends_to);
    for (size_t rank = 0; rank < dealt.size(); ++rank) {
        std::span<MessageEnd> rest = ends_[rank];
        for (const Parcel& parcel : dealt[rank]) {
            parts_.push_back({parcel.key, static_cast<int>(rank), rest.first(parcel.ends)});
            rest = rest.subspan(parcel.ends);
        }
    }
}

void add(Traffic& sum, const Traffic& more) {
    sum = {more.sender, more.receiver, sum.messages + more.messages, sum.bytes + more.bytes};
}

// Matches the ends of all keys of a rank.
class Matcher {
 public:
    Matcher(const Ranks& ranks, const Trace& trace, const System& system, const MessageGroups& groups,
            const std::vector<uint64_t>& is_incomplete)
        : trace_(trace),
          system_(system),
          groups_(groups),
          is_incomplete_(is_incomplete),
          any_is_incomplete_(std::ranges::count(is_incomplete, 1u) > 0),
          lacks_processes_(groups.lack_processes()),
          to_(static_cast<size_t>(ranks.size())) {}

    void match(std::span<const DealtEnds::Part> parts_of_key);
    PerRank<std::vector<Message>>& messages() { return to_; }
    MessageSummary& summary() { return summary_; }
    std::vector<Traffic> traffic() const;

 private:
    Unmatched cause_of(const MessageKey& key, bool is_realigned) const;
    bool has_ended_early(uint32_t process) const;
    void count(const Message& message, Traffic& traffic);

    const Trace& trace_;
    const System& system_;
    const MessageGroups& groups_;
    const std::vector<uint64_t>& is_incomplete_;
    const bool any_is_incomplete_, lacks_processes_;
    PerRank<std::vector<Message>> to_;
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

// The ends of one side, put together if several ranks have some.
std::span<const MessageEnd> together(std::span<const DealtEnds::Part> parts, std::vector<MessageEnd>& room) {
    if (parts.empty()) return {};
    if (parts.size() == 1) return parts[0].ends;
    for (const DealtEnds::Part& part : parts) room.insert(room.end(), part.ends.begin(), part.ends.end());
    std::ranges::sort(room, comes_before);
    return room;
}

void Matcher::match(std::span<const DealtEnds::Part> parts) {
    std::vector<DealtEnds::Part> sides[2];
    for (const DealtEnds::Part& part : parts) sides[static_cast<size_t>(part.key.side)].push_back(part);
    const auto& [sends, receives] = sides;
    std::vector<MessageEnd> rooms[2];
    const MessageKey& key = parts[0].key.key;
    EndsOfKey ends{together(sends, rooms[0]), together(receives, rooms[1])};
    ends.have_one_clock =
        !sends.empty() && !receives.empty() &&
        system_.processes()[sends[0].key.process].loom == system_.processes()[receives[0].key.process].loom;
    Traffic traffic;
    if (!sends.empty()) traffic.sender = sends[0].key.process;
    if (!receives.empty()) traffic.receiver = receives[0].key.process;
    uint64_t lonely_sends = 0, lonely_receives = 0;
    const MatchCounts counts = ovni::match(ends, [&](const MessageEnd* send, const MessageEnd* receive) {
        if (!send) return void(++lonely_receives);
        if (!receive) return void(++lonely_sends);
        const Message message = message_of(*send, *receive, key);
        count(message, traffic);
        to_[static_cast<size_t>(sends[0].from)].push_back(message);
    });
    if (counts.matched > 0) {
        ++summary_.keys;
        add(traffic_[{traffic.sender, traffic.receiver}], traffic);
    }
    summary_.realigned += counts.is_realigned;
    summary_.unordered += counts.is_unordered;
    if (lonely_sends + lonely_receives == 0) return;
    const auto cause = static_cast<size_t>(cause_of(key, counts.is_realigned));
    summary_.sends[cause] += lonely_sends;
    summary_.receives[cause] += lonely_receives;
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

bool Matcher::has_ended_early(uint32_t process) const {
    const ProcessInfo& info = system_.processes()[process];
    for (uint32_t t = 0; t < info.thread_count; ++t)
        if (trace_.streams()[system_.threads()[info.first_thread + t].stream].metadata.end) return true;
    return false;
}

Unmatched Matcher::cause_of(const MessageKey& key, bool is_realigned) const {
    const uint32_t sender = groups_.sender(key), receiver = groups_.receiver(key);
    if (sender == MessageGroups::unknown || receiver == MessageGroups::unknown)
        return any_is_incomplete_ && !lacks_processes_ ? Unmatched::gap : Unmatched::not_recorded;
    if (is_incomplete_[sender] || is_incomplete_[receiver]) return Unmatched::gap;
    if (is_realigned) return Unmatched::out_of_step;
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
    for (const std::vector<Traffic>& of_rank : ranks.gather(mine))
        for (const Traffic& traffic : of_rank) add(sums[{traffic.sender, traffic.receiver}], traffic);
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

std::vector<Message> to_their_senders(const Ranks& ranks, PerRank<std::vector<Message>>& messages) {
    if (ranks.is_alone()) return std::move(messages[0]);
    std::vector<Message> all;
    PerRank<std::span<const Message>> to(messages.begin(), messages.end());
    for (const std::vector<Message>& of_rank : ranks.alltoallv(to))
        all.insert(all.end(), of_rank.begin(), of_rank.end());
    messages.clear();
    return all;
}

}  // namespace

bool MessageSummary::is_empty() const {
    auto sum = [](const Counts& counts) {
        return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
    };
    return matched + sum(sends) + sum(receives) + unknown_communicator == 0;
}

bool may_have_messages(const Trace& trace) {
    return std::ranges::any_of(trace.streams(),
                               [](const Stream& stream) { return stream.metadata.run && uses_mpi(stream); });
}

FoundMessages find_messages(const Ranks& ranks, const Trace& trace, const System& system,
                            const std::vector<bool>& mine, const OpenStream& open) {
    ReadEnds ends = ranks.agree([&] { return read_ends(trace, system, mine, open); });
    ends.is_incomplete = ranks.allreduce(Op::max, std::move(ends.is_incomplete));
    const MessageGroups groups(system, wire::allgather(ranks, ends.members));
    for (KeyOfProcess& key : ends.found.keys)
        if (key.is_inter != 0) {
            const uint32_t mine_is = groups.group_of(key.key.communicator, key.process);
            key.key.group = key.side == Side::sends ? mine_is : 1 - mine_is;
        }
    std::optional<DealtEnds> dealt;
    dealt.emplace(ranks, ends.found);
    Matcher matcher(ranks, trace, system, groups, ends.is_incomplete);
    matcher.summary().unknown_communicator = ends.found.without_communicator;
    ranks.agree([&] {
        const std::span parts = dealt->parts();
        for (size_t i = 0; i < parts.size();) {
            size_t end = i;
            while (end < parts.size() && parts[end].key.key == parts[i].key.key) ++end;
            matcher.match(parts.subspan(i, end - i));
            i = end;
        }
    });
    dealt.reset();
    FoundMessages found;
    found.messages = to_their_senders(ranks, matcher.messages());
    std::ranges::sort(found.messages, {}, [](const Message& message) {
        return std::tuple(message.send_stream, message.send_posted, message.send_offset);
    });
    found.summary = std::move(matcher.summary());
    gather(ranks, found.summary, matcher.traffic());
    found.others = std::move(ends.found);
    return found;
}

}  // namespace ovni
