#include "messages/costs/ideal_replay.hpp"

#include <algorithm>

namespace ovni {

void IdealReplay::take(const ReplayPoint& point) {
    using What = ReplayPoint::What;
    Process& process = processes_[point.process];
    Now& now = process.now;
    now.ideal += point.useful - now.useful;
    now.useful = point.useful;
    now.time = point.time;
    switch (point.what) {
        case What::begin:
            now.ideal = 0;
            process.open[0] = now;
            return;
        case What::end:
            return close(process, point.process, 0);
        case What::open_region:
            process.open[static_cast<int64_t>(point.id)] = now;
            return;
        case What::close_region:
            return close(process, point.process, static_cast<int64_t>(point.id));
        case What::send:
            sent_[point.id] = now.ideal;
            return;
        case What::receive:
            return receive(process, point.id);
        case What::enter: {
            Collective& collective = collectives_[point.id];
            collective.last = std::max(collective.last, now.ideal);
            if (point.is_root) collective.root = now.ideal;
            if (point.gets == ReplayPoint::Gets::from_lower_ranks)
                collective.entered.emplace_back(point.rank, now.ideal);
            return;
        }
        case What::leave: {
            Collective& collective = collectives_[point.id];
            now.ideal = std::max(now.ideal, data_for(point, collective));
            if (++collective.left == point.members) collectives_.erase(point.id);
            return;
        }
    }
}

void IdealReplay::close(Process& process, uint32_t number, int64_t region) {
    auto open = process.open.find(region);
    if (open == process.open.end()) return;
    ReplayedTime& sum = times_[{region, number}];
    sum.elapsed += process.now.time - open->second.time;
    sum.useful += process.now.useful - open->second.useful;
    sum.ideal += process.now.ideal - open->second.ideal;
    process.open.erase(open);
}

void IdealReplay::receive(Process& process, uint64_t message) {
    auto sent = sent_.find(message);
    if (sent == sent_.end()) {
        ++out_of_order_;
        return;
    }
    process.now.ideal = std::max(process.now.ideal, sent->second);
    sent_.erase(sent);
}

int64_t IdealReplay::data_for(const ReplayPoint& point, const Collective& collective) {
    int64_t last = -1;
    switch (point.gets) {
        case ReplayPoint::Gets::nothing:
            break;
        case ReplayPoint::Gets::from_root:
            return collective.root;
        case ReplayPoint::Gets::from_all:
            return collective.last;
        case ReplayPoint::Gets::from_lower_ranks:
            for (const auto& [rank, time] : collective.entered)
                if (rank < point.rank) last = std::max(last, time);
            break;
    }
    return last;
}

}  // namespace ovni
