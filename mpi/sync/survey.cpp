#include "mpi/sync/survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

namespace ovni::sync {

namespace {

enum class Limit : uint64_t { floor, ceiling };
struct Corner {
    uint64_t node;
    Limit side;
    ClockPoint point;
};

// The links of a tree that a node has to wait for. In a star, node 0 keeps those that wait informed.
int in_a_row(int nodes) {
    return nodes <= most_in_star ? 1 : rounds(nodes);
}

}  // namespace

Survey::Survey(const Comm& nodes, const Clock& clock, Effort effort, Keep keep)
    : nodes_(nodes),
      link_(nodes, clock, effort.patience_ns * in_a_row(nodes.size())),
      effort_(effort),
      keep_(keep),
      corridors_(static_cast<size_t>(nodes.size())) {}

std::vector<Estimate> Survey::measure() {
    auto witness = [&](int node, int64_t number, const Exchange& exchange) {
        corridors_[static_cast<size_t>(node)].add(exchange);
        if (keep_ == Keep::samples)
            samples_.push_back({rounds_, static_cast<int32_t>(number), nodes_.rank(), node, exchange});
    };
    link_.begin();
    Measurement measurement(link_, nodes_.rank(), nodes_.size(), effort_, witness);
    std::vector<std::optional<Estimate>> own{measurement.run()};
    ++rounds_;
    std::vector<Estimate> estimates;
    for (const auto& of_node : nodes_.gather(own)) {
        if (!of_node.front())
            throw Error(fmt::format("node {} stopped answering, or heard nothing for {} s", estimates.size(),
                                    effort_.patience_ns / 1'000'000'000));
        estimates.push_back(*of_node.front());
    }
    return estimates;
}

std::vector<Corridor> Survey::gather_corridors() const {
    std::vector<Corner> corners;
    for (size_t node = 0; node < corridors_.size(); ++node) {
        for (ClockPoint floor : corridors_[node].floors()) corners.push_back({node, Limit::floor, floor});
        for (ClockPoint ceiling : corridors_[node].ceilings())
            corners.push_back({node, Limit::ceiling, ceiling});
    }
    std::vector<Corridor> all(nodes_.is_root() ? corridors_.size() : 0);
    for (const std::vector<Corner>& of_rank : nodes_.gather(corners))
        for (const Corner& corner : of_rank) {
            if (corner.side == Limit::floor) all[corner.node].add_floor(corner.point);
            if (corner.side == Limit::ceiling) all[corner.node].add_ceiling(corner.point);
        }
    return all;
}

std::vector<Sample> Survey::take_samples() {
    std::vector<Sample> all;
    for (const std::vector<Sample>& of_node : nodes_.gather(samples_))
        all.insert(all.end(), of_node.begin(), of_node.end());
    samples_.clear();
    std::sort(all.begin(), all.end(), [](const Sample& a, const Sample& b) {
        return std::tie(a.round, a.node, a.number) < std::tie(b.round, b.node, b.number);
    });
    return all;
}

}  // namespace ovni::sync
