#include "messages/waits/find_waits.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "calls/mpi_functions.hpp"
#include "messages/scan/thread_regions.hpp"
#include "messages/waits/object_collectives.hpp"
#include "messages/waits/visit_collectives.hpp"
#include "messages/waits/window_waits.hpp"
#include "trace/metadata.hpp"

namespace ovni {

namespace {

constexpr size_t most_long_waits = 100;

uint64_t hash_of(uint64_t communicator, uint64_t more) {
    uint64_t x = communicator ^ more;
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}
uint64_t hash_of_end(const CollectiveEnd& end) {
    return hash_of(end.communicator, uint64_t{end.scope} << 32 | end.turn);
}

// All ends of the collectives that are this rank's; the ends of one collective stand together.
Collectives dealt_collectives(const StreamOwners& owners, const Collectives& mine) {
    Collectives ends =
        owners.deal(mine, [&](const CollectiveEnd& end) { return hash_of_end(end) % owners.size(); });
    std::ranges::sort(ends, {}, [](const CollectiveEnd& end) {
        return std::tuple(collective_of(end), end.rank, end.stream, end.offset);
    });
    return ends;
}

// True if the ends are those of one collective.
bool fit_together(std::span<const CollectiveEnd> members, CollectiveSummary& summary) {
    const auto behind = std::ranges::count_if(members, [](const auto& end) { return end.behind_gap != 0; });
    summary.behind_gaps += static_cast<uint64_t>(behind);
    if (behind > 0 || members[0].communicator == 0) return false;
    ++summary.collectives;
    const auto is_of = [](const CollectiveEnd& end, const CollectiveEnd& other) {
        return end.function == other.function || (joins_groups(mpi_function_rows[end.function]) &&
                                                  joins_groups(mpi_function_rows[other.function]));
    };
    if (!std::ranges::all_of(members, [&](const auto& end) { return is_of(end, members[0]); }))
        return ++summary.unlike, false;
    summary.incomplete += members.size() < members[0].size;
    return true;
}

// How far clocks can be wrong at a wait.
class Certainty {
 public:
    Certainty(const Trace& trace, const ClockModel& clocks) : trace_(trace), clocks_(clocks) {}

    // ns; -1: unknown.
    int64_t bound_of(const Wait& wait) const {
        if (wait.cause_stream == MessageEnd::no_stream) return 0;
        const StreamMetadata& mine = trace_.streams()[wait.stream].metadata;
        const StreamMetadata& other = trace_.streams()[wait.cause_stream].metadata;
        if (host_of(mine) == host_of(other)) return 0;
        const auto first = clocks_.bound_of(mine), second = clocks_.bound_of(other);
        return first && second ? *first + *second : -1;
    }

 private:
    const Trace& trace_;
    const ClockModel& clocks_;
};

uint64_t certain_part(const Wait& wait) {
    return wait.bound < 0 ? 0 : static_cast<uint64_t>(std::max<int64_t>(wait.length() - wait.bound, 0));
}

auto key_of_sum(const WaitSum& sum) {
    return std::tuple(sum.process, sum.cause, sum.function, sum.kind, sum.region, sum.site);
}

std::vector<WaitSum> sorted_sums(std::vector<WaitSum> sums) {
    std::ranges::sort(sums, {}, key_of_sum);
    std::vector<WaitSum> all;
    for (const WaitSum& sum : sums)
        if (!all.empty() && key_of_sum(all.back()) == key_of_sum(sum)) {
            all.back().times += sum.times;
            all.back().ns += sum.ns;
            all.back().certain += sum.certain;
        } else {
            all.push_back(sum);
        }
    return all;
}

void keep_longest(std::vector<Wait>& waits) {
    auto order = [](const Wait& wait) {
        return std::tuple(-wait.length(), wait.begin, wait.stream, wait.kind, wait.key());
    };
    std::ranges::sort(waits, {}, order);
    if (waits.size() > most_long_waits) waits.resize(most_long_waits);
}

void sum_up(const Ranks& ranks, const System& system, const ThreadRegions& regions, FoundWaits& found) {
    auto process_of = [&](uint32_t stream) {
        return stream == MessageEnd::no_stream ? WaitSum::no_process : system.process_of_stream(stream);
    };
    std::map<decltype(key_of_sum(WaitSum())), WaitSum> sums;
    std::vector<Wait> longest;
    for (const Wait& wait : found.waits) {
        WaitSum sum{process_of(wait.stream), process_of(wait.cause_stream), wait.function, wait.kind};
        sum.region = regions.at(wait.stream, wait.begin);
        sum.site = wait.site;
        WaitSum& all = sums.try_emplace(key_of_sum(sum), sum).first->second;
        ++all.times;
        all.ns += static_cast<uint64_t>(wait.length());
        all.certain += certain_part(wait);
        longest.push_back(wait);
        if (longest.size() >= 2 * most_long_waits) keep_longest(longest);
    }
    keep_longest(longest);
    std::vector<WaitSum> mine;
    for (const auto& [key, sum] : sums) mine.push_back(sum);
    WaitSummary& summary = found.summary;
    summary.sums = sorted_sums(ranks.gather_joined(mine));
    summary.longest = ranks.gather_joined(longest);
    keep_longest(summary.longest);
    CollectiveSummary& counts = summary.collectives;
    const std::vector<uint64_t> all = ranks.allreduce(
        Op::sum,
        std::vector<uint64_t>{counts.collectives, counts.incomplete, counts.unlike, counts.behind_gaps});
    counts = {all[0], all[1], all[2], all[3]};
}

// The sites of calls that wait are known in threads that initialised MPI. `waits`: in the order of time.
void add_sites(Waits& waits, const std::vector<ProcessTimes>& times) {
    struct Place {
        const ProcessTimes* of;
        size_t next = 0;  // call that has not ended before the waits
    };
    std::map<uint32_t, Place> places;  // by stream
    for (const ProcessTimes& of : times) places[of.stream] = {&of};
    for (Wait& wait : waits) {
        const auto known = places.find(wait.stream);
        if (known == places.end()) continue;
        auto& [of, next] = known->second;
        const CallTimes& calls = of->calls;
        while (next < calls.size() && calls.leave(next) <= wait.begin) ++next;
        if (is_init(mpi_function_rows[wait.function]))
            wait.site = of->init_site;
        else if (is_finalize(mpi_function_rows[wait.function]))
            wait.site = of->finalize_site;
        else if (next < calls.size() && calls.enter(next) <= wait.begin &&
                 calls.function(next) == wait.function)
            wait.site = calls.site(next);
    }
}

// Without a copy of the first ones, of which there may be many.
void append(Waits& all, Waits more) {
    if (all.empty())
        all = std::move(more);
    else
        all.insert(all.end(), more.begin(), more.end());
}
void append(Waits& all, const std::vector<Wait>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

// A message of which nothing but its arrival counts: packing leaves the rest out.
Message with_arrival(const Arrival& arrival) {
    Message message;
    static_cast<Arrival&>(message) = arrival;
    message.send_left = message.send_wait_begin = message.send_wait_end = arrival.send_posted;
    message.send_completed_in = arrival.send_stream;
    return message;
}

// Waits of the windows that are this rank's.
Waits waits_at_windows(const StreamOwners& owners, const FoundObjects& objects) {
    const auto owner_of = [&](const WindowCall& call) {
        return hash_of(call.communicator, uint64_t{call.scope} << 32 | call.turn) % owners.size();
    };
    TableVector<WindowCall> calls = owners.deal(window_calls(objects), owner_of);
    std::ranges::sort(calls, {}, [](const WindowCall& call) {
        return std::tuple(call.window(), call.enter, call.process, call.stream, call.leave);
    });
    Waits waits;
    for (size_t i = 0; i < calls.size();) {
        size_t end = i;
        while (end < calls.size() && calls[end].window() == calls[i].window()) ++end;
        append(waits, waits_at_window(std::span(calls).subspan(i, end - i)));
        i = end;
    }
    return waits;
}

// Waits for messages, of processes of this rank.
Waits waits_for_messages(const Ranks& ranks, const System& system, const StreamOwners& owners,
                         const SentMessages& sent, const std::vector<ProcessTimes>& times,
                         std::vector<ProbedReceive> probed) {
    const auto rank = static_cast<size_t>(ranks.rank());
    std::map<uint32_t, PackedMessages> received_by;
    const auto add = [&](const Arrival& arrival) {
        received_by.try_emplace(system.process_of_stream(arrival.receive_stream), is_received_before)
            .first->second.add(with_arrival(arrival));
    };
    WaitsOfSenders of_senders;
    PerRank<TableVector<Arrival>> elsewhere(owners.size());
    sent.visit([&](const Message& message) {
        of_senders.take(message);
        if (message.receive_completed_in == MessageEnd::no_stream) return;
        if (const size_t owner = owners.of_stream(message.receive_stream); owner == rank)
            add(message);
        else
            elsewhere[owner].push_back(message);
    });
    for (const Arrival& arrival : ranks.alltoallv_joined(std::move(elsewhere))) add(arrival);
    std::map<uint32_t, const ProcessTimes*> times_of;
    for (const ProcessTimes& of : times) times_of[of.process] = &of;
    std::ranges::sort(probed, {}, [](const ProbedReceive& of) { return std::tuple(of.stream, of.offset); });
    Waits all;
    for (auto received = received_by.begin(); received != received_by.end();) {
        append(all, waits_of_receiver(received->second, times_of[received->first], probed));
        received = received_by.erase(received);
    }
    append(all, std::move(of_senders).but_for(all));
    return all;
}

}  // namespace

FoundWaits find_waits(const Ranks& ranks, const Trace& trace, const System& system, const ClockModel& clocks,
                      const StreamOwners& owners, const WaitSources& sources) {
    FoundWaits found;
    found.waits = waits_for_messages(ranks, system, owners, sources.sent, sources.times, sources.probed);
    Waits at_collectives;
    const auto add = [&](const Collectives& mine, CollectiveSummary& summary) {
        visit_collectives(dealt_collectives(owners, mine), [&](std::span<const CollectiveEnd> members) {
            if (!fit_together(members, summary)) return;
            append(at_collectives, waits_at(members));
            found.collectives.insert(found.collectives.end(), members.begin(), members.end());
        });
    };
    add(sources.collectives, found.summary.collectives);
    CollectiveSummary of_objects;
    add(collectives_of_objects(sources.objects), of_objects);
    append(at_collectives, waits_at_windows(owners, sources.objects));
    found.world_calls = dealt_collectives(owners, sources.world_calls);
    visit_collectives(found.world_calls, [&](std::span<const CollectiveEnd> members) {
        append(at_collectives, waits_at_world_call(members));
    });
    at_collectives =
        owners.deal(at_collectives, [&](const Wait& wait) { return owners.of_stream(wait.stream); });
    found.waits.insert(found.waits.end(), at_collectives.begin(), at_collectives.end());
    std::ranges::sort(found.waits, {}, &Wait::key);
    const Certainty certainty(trace, clocks);
    for (Wait& wait : found.waits) wait.bound = certainty.bound_of(wait);
    add_sites(found.waits, sources.times);
    sum_up(ranks, system, ThreadRegions(sources.regions), found);
    return found;
}

}  // namespace ovni
