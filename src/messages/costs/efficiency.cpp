#include "messages/costs/efficiency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <tuple>

#include "base/in_order.hpp"
#include "base/radix_sort.hpp"
#include "emu/plan/rank_names.hpp"
#include "emu/plan/worlds.hpp"
#include "messages/costs/ideal_replay.hpp"
#include "messages/waits/collective_flow.hpp"
#include "messages/waits/visit_collectives.hpp"

namespace ovni {

namespace {

using What = ReplayPoint::What;

// The time of a process outside of MPI, up to one time after the other.
class UsefulTime {
 public:
    UsefulTime() = default;
    explicit UsefulTime(const ProcessTimes& times) : times_(&times) {}

    bool is_known() const { return times_ != nullptr; }
    // `time`: not before that of the last call.
    int64_t until(int64_t time) {
        const CallTimes& calls = times_->calls;
        time = std::clamp(time, times_->begin, times_->end);
        for (; next_ < calls.size() && calls.enter(next_) <= time; ++next_) {
            in_calls_ += last_;
            last_enter_ = calls.enter(next_);
            last_ = calls.leave(next_) - last_enter_;
        }
        if (next_ == 0) return time - times_->begin;
        return time - times_->begin - in_calls_ - std::min(time - last_enter_, last_);
    }

 private:
    const ProcessTimes* times_ = nullptr;
    size_t next_ = 0;
    int64_t in_calls_ = 0, last_ = 0;  // ns in all calls before the last one that has begun, and in that one
    int64_t last_enter_ = 0;
};

ReplayPoint::Gets gets_of(const CollectiveEnd& end) {
    const bool is_root = end.rank == end.root;
    switch (flow_of(end.function)) {
        case CollectiveFlow::barrier:
        case CollectiveFlow::fence:
        case CollectiveFlow::n_to_n:
        case CollectiveFlow::neighbours:
        case CollectiveFlow::members:
            return ReplayPoint::Gets::from_all;
        case CollectiveFlow::from_root:
            return ReplayPoint::Gets::from_root;
        case CollectiveFlow::to_root:
            return is_root ? ReplayPoint::Gets::from_all : ReplayPoint::Gets::nothing;
        case CollectiveFlow::scan:
            return ReplayPoint::Gets::from_lower_ranks;
        case CollectiveFlow::none:
            break;
    }
    return ReplayPoint::Gets::nothing;
}

uint64_t id_of(const Message& message) {
    constexpr unsigned bits_of_offset = 40;
    return uint64_t{message.send_stream} << bits_of_offset | message.send_offset;
}

// The points of messages and collectives, at the ranks of their streams: the stream is in the place of the
// process.
TableVector<ReplayPoint> points_of(const StreamOwners& owners, const EfficiencySources& sources,
                                   size_t processes) {
    TableVector<ReplayPoint> points;
    points.reserve(2 * (sources.sent.size() + sources.collectives.size() + processes) +
                   sources.regions.size());
    auto add = [&](What what, int64_t time, uint32_t stream, uint64_t id) -> ReplayPoint& {
        ReplayPoint& point = points.emplace_back();
        point.process = stream;
        point.what = what;
        point.time = time;
        point.id = id;
        return point;
    };
    sources.sent.visit([&](const Message& message) {
        add(What::send, message.send_posted, message.send_stream, id_of(message));
        if (message.receive_completed_in != MessageEnd::no_stream)
            add(What::receive, message.receive_wait_end, message.receive_completed_in, id_of(message));
    });
    visit_collectives(sources.collectives, [&](std::span<const CollectiveEnd> members) {
        const uint64_t id = uint64_t{members[0].stream} << 40 | members[0].offset;
        for (const CollectiveEnd& member : members) {
            for (What what : {What::enter, What::leave}) {
                const bool enters = what == What::enter;
                if (!enters && member.completed_in == MessageEnd::no_stream) continue;
                ReplayPoint& point = add(what, enters ? member.enter : member.wait_end,
                                         enters ? member.stream : member.completed_in, id);
                point.members = static_cast<uint32_t>(members.size());
                point.rank = member.rank;
                point.is_root = member.rank == member.root;
                point.gets = gets_of(member);
            }
        }
    });
    return owners.deal(std::move(points),
                       [&](const ReplayPoint& point) { return owners.of_stream(point.process); });
}

int64_t time_of(const ReplayPoint& point) {
    return point.time;
}
// Compares points of one time.
bool is_earlier(const ReplayPoint& a, const ReplayPoint& b) {
    return std::tie(a.what, a.process, a.id) < std::tie(b.what, b.process, b.id);
}

template <class Points>
void sort_by_time(Points& points) {
    radix_sort(points, time_of, is_earlier);
}

// A region in itself is one.
void add_regions(const System& system, const std::vector<RegionChange>& changes,
                 TableVector<ReplayPoint>& points) {
    std::map<std::pair<uint32_t, int64_t>, uint32_t> depths;  // by stream, region
    for (const RegionChange& change : changes) {
        const bool opens = change.what == RegionChange::What::open;
        uint32_t& depth = depths[{change.stream, change.region}];
        if (opens ? depth++ > 0 : --depth > 0) continue;
        ReplayPoint& point = points.emplace_back();
        point.what = opens ? What::open_region : What::close_region;
        point.time = change.time;
        point.id = static_cast<uint64_t>(change.region);
        point.process = system.process_of_stream(change.stream);
    }
}

void add_lives(const std::vector<ProcessTimes>& times, TableVector<ReplayPoint>& points) {
    for (const ProcessTimes& of : times)
        for (What what : {What::begin, What::end}) {
            ReplayPoint& point = points.emplace_back();
            point.what = what;
            point.time = what == What::begin ? of.begin : of.end;
            point.process = of.process;
        }
}

void put_in_order(size_t processes, const std::vector<ProcessTimes>& times,
                  TableVector<ReplayPoint>& points) {
    std::vector<UsefulTime> useful(processes);
    for (const ProcessTimes& of : times) useful[of.process] = UsefulTime(of);
    std::erase_if(points, [&](const ReplayPoint& point) { return !useful[point.process].is_known(); });
    sort_by_time(points);
    for (ReplayPoint& point : points) point.useful = useful[point.process].until(point.time);
}

std::vector<Efficiency> efficiencies_of(const IdealReplay& replay) {
    std::map<int64_t, Efficiency> by_region;
    for (const auto& [of_region, time] : replay.times()) {
        Efficiency& of = by_region[of_region.first];
        of.region = of_region.first;
        ++of.processes;
        of.runtime = std::max(of.runtime, time.elapsed);
        of.ideal_runtime = std::max(of.ideal_runtime, time.ideal);
        of.useful_sum += static_cast<uint64_t>(time.useful);
        if (of.region == 0) of.useful_of[of_region.second] = time.useful;
        if (of.processes == 1 || time.useful > of.longest_useful) {
            of.longest_useful = time.useful;
            of.busiest = of_region.second;
        }
    }
    std::vector<Efficiency> all;
    for (const auto& [region, of] : by_region) all.push_back(of);
    return all;
}

}  // namespace

std::future<Efficiencies> find_efficiencies(const Ranks& ranks, const System& system,
                                            const StreamOwners& owners, const EfficiencySources& sources,
                                            std::vector<ProcessTimes> times, size_t threads) {
    TableVector<ReplayPoint> points = points_of(owners, sources, times.size());
    for (ReplayPoint& point : points) point.process = system.process_of_stream(point.process);
    add_regions(system, sources.regions, points);
    add_lives(times, points);
    auto replay = [processes = system.processes().size(), times = std::move(times),
                   points = std::move(points)](const Ranks& of) mutable {
        put_in_order(processes, times, points);
        IdealReplay ideal(processes);
        visit_in_order(of, std::span<const ReplayPoint>(points), time_of,
                       sort_by_time<std::vector<ReplayPoint>>, [&](const std::vector<ReplayPoint>& batch) {
                           for (const ReplayPoint& point : batch) ideal.take(point);
                       });
        return Efficiencies{efficiencies_of(ideal), ideal.out_of_order()};
    };
    if (ranks.is_alone() && threads > 1)
        return std::async(std::launch::async,
                          [replay = std::move(replay)]() mutable { return replay(Ranks()); });
    std::promise<Efficiencies> found;
    found.set_value(replay(ranks));
    return found.get_future();
}

std::vector<std::string> efficiency_lines(const Efficiency& of, const System& system) {
    struct Row {
        std::string_view name;
        double value;
        std::string if_low;
    };
    constexpr double seconds = 1e-9;
    const std::string who =
        fmt::format("{} computes for {:.6f} s, on average ranks do for {:.6f} s: they should share the work",
                    RankNames(system).full(of.busiest), static_cast<double>(of.longest_useful) * seconds,
                    of.mean_useful() * seconds);
    const Row rows[] = {
        {"parallel efficiency", of.parallel(), ""},
        {"  load balance", of.load_balance(), who},
        {"  communication efficiency", of.communication(), ""},
        {"    serialisation efficiency", of.serialisation(),
         "ranks wait for others that are not ready yet: look for chains of messages, and --waits"},
        {"    transfer efficiency", of.transfer(),
         "data is on its way for long: fewer, or smaller messages, or more computation in the meantime"},
    };
    uint64_t started = 0;
    for (const World& world : worlds(system)) started += static_cast<uint64_t>(world.size);
    const std::string number = started > of.processes ? fmt::format("{} of {}", of.processes, started)
                                                      : fmt::format("{}", of.processes);
    std::vector<std::string> lines{fmt::format(
        "{} ranks, {:.6f} s from MPI_Init to MPI_Finalize, {:.6f} s in an ideal network", number,
        static_cast<double>(of.runtime) * seconds, static_cast<double>(of.ideal_runtime) * seconds)};
    for (const Row& row : rows) lines.push_back(fmt::format("{:<32}{:.3f}", row.name, row.value));
    // Others may wait for ranks that are not in the trace.
    if (started > of.processes) return lines;
    for (const Row& row : rows)
        if (row.value < acceptable_efficiency && !row.if_low.empty())
            lines.push_back(fmt::format("{} is {:.2f}: {}", row.name.substr(row.name.find_first_not_of(' ')),
                                        row.value, row.if_low));
    return lines;
}

}  // namespace ovni
