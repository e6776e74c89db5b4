#include "messages/efficiency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <tuple>

#include "base/in_order.hpp"
#include "messages/collective_flow.hpp"
#include "messages/ideal_replay.hpp"

namespace ovni {

namespace {

using What = ReplayPoint::What;

// The time of a process outside of MPI, up to any time.
class UsefulTime {
 public:
    explicit UsefulTime(const ProcessTimes& times) : times_(times) {
        int64_t sum = 0;
        for (const ProcessTimes::Call& call : times.calls) {
            before_.push_back(sum);
            sum += call.leave - call.enter;
        }
    }
    int64_t until(int64_t time) const {
        time = std::clamp(time, times_.begin, times_.end);
        const auto later = std::ranges::upper_bound(times_.calls, time, {}, &ProcessTimes::Call::enter);
        if (later == times_.calls.begin()) return time - times_.begin;
        const auto last = std::prev(later);
        const int64_t in_calls = before_[static_cast<size_t>(last - times_.calls.begin())] +
                                 std::min(time, last->leave) - last->enter;
        return time - times_.begin - in_calls;
    }

 private:
    const ProcessTimes& times_;
    std::vector<int64_t> before_;  // ns in calls before each
};

ReplayPoint::Gets gets_of(const CollectiveEnd& end) {
    const bool is_root = end.rank == end.root;
    switch (flow_of(end.function)) {
        case CollectiveFlow::barrier:
        case CollectiveFlow::fence:
        case CollectiveFlow::n_to_n:
        case CollectiveFlow::neighbours:
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
std::vector<ReplayPoint> points_of(const StreamOwners& owners, const EfficiencySources& sources) {
    std::vector<ReplayPoint> points;
    points.reserve(2 * (sources.sent.size() + sources.collectives.size()));
    auto add = [&](What what, int64_t time, uint32_t stream, uint64_t id) -> ReplayPoint& {
        ReplayPoint& point = points.emplace_back();
        point.process = stream;
        point.what = what;
        point.time = time;
        point.id = id;
        return point;
    };
    for (const Message& message : sources.sent) {
        add(What::send, message.send_posted, message.send_stream, id_of(message));
        if (message.receive_completed_in != MessageEnd::no_stream)
            add(What::receive, message.receive_wait_end, message.receive_completed_in, id_of(message));
    }
    const std::span all = sources.collectives;
    for (size_t i = 0; i < all.size();) {
        size_t end = i;
        auto place = [&](size_t at) { return std::tuple(all[at].communicator, all[at].scope, all[at].turn); };
        while (end < all.size() && place(end) == place(i)) ++end;
        const uint64_t id = uint64_t{all[i].stream} << 40 | all[i].offset;
        for (const CollectiveEnd& member : all.subspan(i, end - i)) {
            for (What what : {What::enter, What::leave}) {
                const bool enters = what == What::enter;
                if (!enters && member.completed_in == MessageEnd::no_stream) continue;
                ReplayPoint& point = add(what, enters ? member.enter : member.wait_end,
                                         enters ? member.stream : member.completed_in, id);
                point.members = static_cast<uint32_t>(end - i);
                point.rank = member.rank;
                point.is_root = member.rank == member.root;
                point.gets = gets_of(member);
            }
        }
        i = end;
    }
    return owners.deal(std::move(points),
                       [&](const ReplayPoint& point) { return owners.of_stream(point.process); });
}

int64_t time_of(const ReplayPoint& point) {
    return point.time;
}
auto order_of(const ReplayPoint& point) {
    return std::tuple(point.time, point.what, point.process, point.id);
}

// All points of the processes of this rank, in the order of time.
std::vector<ReplayPoint> points_in_order(const System& system, const StreamOwners& owners,
                                         const EfficiencySources& sources) {
    std::map<uint32_t, std::pair<const ProcessTimes*, UsefulTime>> times;
    for (const ProcessTimes& of : sources.times) times.try_emplace(of.process, &of, UsefulTime(of));
    std::vector<ReplayPoint> points = points_of(owners, sources);
    std::erase_if(points, [&](ReplayPoint& point) {
        point.process = system.process_of_stream(point.process);
        auto known = times.find(point.process);
        if (known == times.end()) return true;
        point.useful = known->second.second.until(point.time);
        return false;
    });
    auto add = [&](ReplayPoint point, uint32_t process) {
        auto known = times.find(process);
        if (known == times.end()) return;
        point.process = process;
        point.useful = known->second.second.until(point.time);
        points.push_back(point);
    };
    // A region in itself is one.
    std::map<std::pair<uint32_t, int64_t>, uint32_t> depths;  // by stream, region
    for (const RegionChange& change : sources.regions) {
        const bool opens = change.what == RegionChange::What::open;
        uint32_t& depth = depths[{change.stream, change.region}];
        if (opens ? depth++ > 0 : --depth > 0) continue;
        ReplayPoint point;
        point.what = opens ? What::open_region : What::close_region;
        point.time = change.time;
        point.id = static_cast<uint64_t>(change.region);
        add(point, system.process_of_stream(change.stream));
    }
    for (const ProcessTimes& of : sources.times)
        for (What what : {What::begin, What::end}) {
            ReplayPoint point;
            point.what = what;
            point.time = what == What::begin ? of.begin : of.end;
            add(point, of.process);
        }
    std::ranges::sort(points, {}, order_of);
    return points;
}

std::vector<Efficiency> efficiencies_of(const IdealReplay& replay) {
    std::map<int64_t, Efficiency> by_region;
    for (const auto& [place, time] : replay.times()) {
        Efficiency& of = by_region[place.first];
        of.region = place.first;
        ++of.processes;
        of.runtime = std::max(of.runtime, time.elapsed);
        of.ideal_runtime = std::max(of.ideal_runtime, time.ideal);
        of.useful_sum += static_cast<uint64_t>(time.useful);
        of.longest_useful = std::max(of.longest_useful, time.useful);
    }
    std::vector<Efficiency> all;
    for (const auto& [region, of] : by_region) all.push_back(of);
    return all;
}

}  // namespace

Efficiencies find_efficiencies(const Ranks& ranks, const System& system, const StreamOwners& owners,
                               const EfficiencySources& sources) {
    IdealReplay replay(system.processes().size());
    const std::vector<ReplayPoint> mine = points_in_order(system, owners, sources);
    visit_in_order(ranks, std::span(mine), time_of, order_of, [&](const std::vector<ReplayPoint>& points) {
        for (const ReplayPoint& point : points) replay.take(point);
    });
    return {efficiencies_of(replay), replay.out_of_order()};
}

std::vector<std::string> efficiency_lines(const Efficiency& of) {
    struct Row {
        std::string_view name;
        double value;
        std::string_view if_low;
    };
    const Row rows[] = {
        {"parallel efficiency", of.parallel(), ""},
        {"  load balance", of.load_balance(),
         "some ranks compute more than others: they should share the work"},
        {"  communication efficiency", of.communication(), ""},
        {"    serialisation efficiency", of.serialisation(),
         "ranks wait for others that are not ready yet: look for chains of messages, and --waits"},
        {"    transfer efficiency", of.transfer(),
         "data is on its way for long: fewer, or smaller messages, or more computation in the meantime"},
    };
    constexpr double acceptable = 0.8;
    std::vector<std::string> lines{fmt::format(
        "{} ranks, {:.6f} s from MPI_Init to MPI_Finalize, {:.6f} s in an ideal network", of.processes,
        static_cast<double>(of.runtime) * 1e-9, static_cast<double>(of.ideal_runtime) * 1e-9)};
    for (const Row& row : rows) lines.push_back(fmt::format("{:<32}{:.3f}", row.name, row.value));
    for (const Row& row : rows)
        if (row.value < acceptable && !row.if_low.empty())
            lines.push_back(fmt::format("{} is {:.2f}: {}", row.name.substr(row.name.find_first_not_of(' ')),
                                        row.value, row.if_low));
    return lines;
}

}  // namespace ovni
