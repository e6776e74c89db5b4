#include "messages/costs/delay_costs.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "base/in_order.hpp"
#include "messages/costs/in_step.hpp"

namespace ovni {

namespace {

// A wait of a process, for another one or for none. Plain data, that ranks exchange.
struct OwnWait {
    static constexpr uint32_t nobody = UINT32_MAX;

    int64_t begin = 0, end = 0;
    int64_t between = 0;                       // outside of calls meanwhile, of failed tests
    int64_t since = InStep::never, until = 0;  // the time of the cause that is looked at
    uint32_t process = 0, cause = nobody;
    uint32_t activities = 0, padding = 0;  // that the process has spent time in since then
    Activity activity;
    uint64_t whole = 0;  // D + P, or the length if that is more

    uint64_t length() const { return static_cast<uint64_t>(end - begin - between); }
    // The part of another wait that counts: 0 if that ends too early or too late.
    uint64_t overlap(const OwnWait& of_cause) const {
        if (of_cause.end <= since || of_cause.end > until || of_cause.end >= end) return 0;
        return std::min(static_cast<uint64_t>(of_cause.end - std::max(of_cause.begin, since)),
                        of_cause.length());
    }
};

// Plain data, that ranks exchange.
struct Spent {
    Activity activity;
    int64_t ns = 0;
};
// Waits may overlap: those of several collectives that one call completes.
using Profile = std::map<Activity, __int128>;

// `amount` times a fraction, without what is left of a ns.
uint64_t share(uint64_t amount, uint64_t part, uint64_t whole) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(amount) * part / whole);
}

// Passes costs on, from the last wait to the first.
class LongTerm {
 public:
    // The ns of later waits that this one is to blame for. Call for waits in descending order of their ends.
    uint64_t take(const OwnWait& wait) {
        uint64_t passed_on = 0;
        std::vector<Cause>& later = later_[wait.process];
        std::erase_if(later, [&](const Cause& of) { return of.wait.since >= wait.end; });
        for (const Cause& of : later) passed_on += share(of.amount, of.wait.overlap(wait), of.wait.whole);
        if (wait.cause != OwnWait::nobody) later_[wait.cause].push_back({wait, wait.length() + passed_on});
        return passed_on;
    }

 private:
    struct Cause {
        OwnWait wait;
        uint64_t amount;
    };
    std::map<uint32_t, std::vector<Cause>> later_;  // by the process that was waited for
};

class DelayCosts {
 public:
    DelayCosts(const Ranks& ranks, const System& system, const StreamOwners& owners,
               const DelaySources& sources)
        : ranks_(ranks), system_(system), owners_(owners), regions_(sources.regions) {
        for (const ProcessTimes& of : sources.times) times_[of.process] = &of;
        find_streams();
        std::vector<OwnWait> waits = own_waits(sources.waits);
        const InStep in_step(ranks, system, owners, meetings(waits), sources.collectives);
        for (OwnWait& wait : waits)
            if (wait.cause != OwnWait::nobody)
                wait.since = in_step.before(wait.process, wait.cause, wait.begin);
        std::ranges::sort(waits, {}, [](const OwnWait& wait) { return std::tuple(-wait.end, wait.process); });
        for (const OwnWait& wait : waits) waits_of_[wait.process].push_back(wait);
        visit_parts_in_order(
            ranks, std::span<const OwnWait>(waits), [](const OwnWait& wait) { return -wait.end; },
            [&](std::span<const OwnWait> part) { take(part); });
    }

    std::vector<DelayCost> gather() const {
        std::vector<DelayCost> mine;
        for (const auto& [key, cost] : costs_)
            if (cost.short_term + cost.long_term > 0) mine.push_back(cost);
        std::vector<DelayCost> all = ranks_.gather_joined(mine);
        std::ranges::sort(all, {}, key_of);
        return all;
    }

 private:
    using Key = std::pair<uint32_t, Activity>;  // process, and what it does
    static Key key_of(const DelayCost& cost) { return {cost.process, cost.activity}; }
    size_t owner_of(uint32_t process) const { return owners_.of_stream(stream_of_[process]); }

    // The threads that initialised MPI, of all processes.
    void find_streams() {
        std::vector<uint64_t> streams(system_.processes().size());
        for (const auto& [process, of] : times_) streams[process] = uint64_t{of->stream} + 1;
        for (uint64_t stream : ranks_.allreduce(Op::max, std::move(streams)))
            stream_of_.push_back(static_cast<uint32_t>(stream - 1));
    }
    bool is_followed(uint32_t stream) const {
        return stream_of_[system_.process_of_stream(stream)] == stream;
    }

    std::vector<OwnWait> own_waits(std::span<const Wait> waits) const {
        std::vector<OwnWait> all;
        for (const Wait& wait : waits) {
            if (!is_followed(wait.stream)) continue;
            OwnWait& own = all.emplace_back();
            own.begin = wait.begin;
            own.end = wait.end;
            own.between = wait.between;
            own.until = std::min(wait.cause_time, wait.end);
            own.process = system_.process_of_stream(wait.stream);
            own.activity = {wait.function, wait.site, regions_.at(wait.stream, wait.begin)};
            if (wait.cause_stream == MessageEnd::no_stream || !is_followed(wait.cause_stream)) continue;
            const uint32_t cause = system_.process_of_stream(wait.cause_stream);
            if (cause != own.process) own.cause = cause;
        }
        return all;
    }

    // Each counts for both processes.
    std::vector<InStep::Meeting> meetings(const std::vector<OwnWait>& waits) const {
        std::vector<InStep::Meeting> mine, others;
        for (const OwnWait& wait : waits) {
            if (wait.cause == OwnWait::nobody) continue;
            mine.push_back({wait.end, wait.process, wait.cause});
            if (!times_.contains(wait.cause)) others.push_back(mine.back());
        }
        if (ranks_.is_alone()) return mine;
        for (const InStep::Meeting& of :
             owners_.deal(std::move(others), [&](const auto& meeting) { return owner_of(meeting.cause); }))
            mine.push_back(of);
        return mine;
    }

    // Waits that end in one stretch of time, the last of all. Collective.
    void take(std::span<const OwnWait> part) {
        std::vector<OwnWait> late = to_causes(part);
        std::vector<Profile> delays;
        for (OwnWait& wait : late) {
            // Nobody is to blame for waits in MPI_Init.
            wait.since = std::max(wait.since, times_.at(wait.cause)->begin);
            delays.push_back(delays_of(wait));
        }
        // Waits without a cause go no further.
        const std::vector<uint64_t> passed_on = pass_on(late);
        for (size_t i = 0; i < late.size(); ++i)
            for (const auto& [activity, ns] : delays[i]) {
                DelayCost& cost = costs_[{late[i].cause, activity}];
                cost.process = late[i].cause;
                cost.activity = activity;
                cost.short_term += share(late[i].length(), static_cast<uint64_t>(ns), late[i].whole);
                cost.long_term += share(passed_on[i], static_cast<uint64_t>(ns), late[i].whole);
            }
    }

    // The waits for processes of this rank. The profiles of the waiting processes are in profiles_.
    std::vector<OwnWait> to_causes(std::span<const OwnWait> part) {
        PerRank<std::vector<OwnWait>> waits(owners_.size());
        PerRank<std::vector<Spent>> profiles(owners_.size());
        for (OwnWait wait : part) {
            if (wait.cause == OwnWait::nobody) continue;
            const size_t to = owner_of(wait.cause);
            const Profile profile = without_sites(profile_of(wait.process, wait.since, wait.begin));
            wait.activities = static_cast<uint32_t>(profile.size());
            for (const auto& [activity, ns] : profile)
                profiles[to].push_back({activity, static_cast<int64_t>(ns)});
            waits[to].push_back(wait);
        }
        profiles_ = ranks_.alltoallv_joined(std::move(profiles));
        return ranks_.alltoallv_joined(std::move(waits));
    }

    Profile profile_of(uint32_t process, int64_t since, int64_t until) const {
        Profile profile;
        visit_profile(
            *times_.at(process), regions_, since, until,
            [&](const Activity& activity, int64_t begin, int64_t end) { profile[activity] += end - begin; });
        return profile;
    }

    // Call in the order of profiles_.
    Profile delays_of(OwnWait& wait) {
        Profile delays = profile_of(wait.cause, wait.since, wait.until);
        uint64_t waited = 0;
        visit_own_waits(wait, [&](const OwnWait& own, uint64_t overlap) {
            delays[own.activity] -= overlap;
            waited += overlap;
        });
        std::erase_if(delays, [](const auto& delay) { return delay.second <= 0; });
        Profile excess = without_sites(delays);
        for (const Spent& spent : std::span(profiles_).subspan(next_profile_, wait.activities))
            if (auto known = excess.find(spent.activity); known != excess.end()) known->second -= spent.ns;
        next_profile_ += wait.activities;
        delays = divided_by_sites(excess, delays);
        uint64_t delayed = 0;
        for (const auto& [activity, ns] : delays) delayed += static_cast<uint64_t>(ns);
        wait.whole = std::max(delayed + waited, wait.length());
        return delays;
    }
    static Activity without_site(Activity activity) {
        activity.site = MpiCaller::unknown;
        return activity;
    }
    static Profile without_sites(const Profile& profile) {
        Profile all;
        for (const auto& [activity, ns] : profile) all[without_site(activity)] += ns;
        return all;
    }
    // The excess of each function in parts for the sites of `times`.
    static Profile divided_by_sites(const Profile& excess, const Profile& times) {
        const Profile wholes = without_sites(times);
        Profile parts;
        for (const auto& [activity, ns] : times) {
            const Activity of_function = without_site(activity);
            const __int128 part = std::max<__int128>(excess.at(of_function), 0) * ns / wholes.at(of_function);
            if (part > 0) parts[activity] = part;
        }
        return parts;
    }
    template <class Visit>
    void visit_own_waits(const OwnWait& wait, Visit visit) const {
        auto known = waits_of_.find(wait.cause);
        if (known == waits_of_.end()) return;
        const std::vector<OwnWait>& all = known->second;
        auto own = std::ranges::partition_point(
            all, [&](const OwnWait& of) { return of.end > wait.until || of.end >= wait.end; });
        for (; own != all.end() && own->end > wait.since; ++own) visit(*own, wait.overlap(*own));
    }

    // The ns of later waits that each of `late` is to blame for.
    std::vector<uint64_t> pass_on(const std::vector<OwnWait>& late) {
        next_profile_ = 0;
        const std::vector<OwnWait> all = ranks_.gather_joined(late);
        std::vector<size_t> order(all.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::ranges::sort(order, std::greater(), [&](size_t i) { return all[i].end; });
        std::vector<uint64_t> passed_on(all.size());
        for (size_t i : order) passed_on[i] = long_term_.take(all[i]);
        passed_on = ranks_.broadcast(std::move(passed_on));
        const auto begin = static_cast<std::ptrdiff_t>(ranks_.exscan(uint64_t{late.size()}));
        return {passed_on.begin() + begin,
                passed_on.begin() + begin + static_cast<std::ptrdiff_t>(late.size())};
    }

    const Ranks& ranks_;
    const System& system_;
    const StreamOwners& owners_;
    const ThreadRegions regions_;
    std::map<uint32_t, const ProcessTimes*> times_;      // of processes of this rank
    std::vector<uint32_t> stream_of_;                    // by process
    std::map<uint32_t, std::vector<OwnWait>> waits_of_;  // by process of this rank, the last one first
    std::vector<Spent> profiles_;
    size_t next_profile_ = 0;
    LongTerm long_term_;  // on rank 0
    std::map<Key, DelayCost> costs_;
};

}  // namespace

std::vector<DelayCost> find_delay_costs(const Ranks& ranks, const System& system, const StreamOwners& owners,
                                        const DelaySources& sources) {
    return DelayCosts(ranks, system, owners, sources).gather();
}

}  // namespace ovni
