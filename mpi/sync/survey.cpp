#include "sync/survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

namespace ovni::sync {

Survey::Survey(const Comm& nodes, const Clock& clock, Effort effort, Keep keep)
    : nodes_(nodes), link_(nodes, clock), effort_(effort), keep_(keep) {}

std::vector<Estimate> Survey::measure() {
    auto witness = [&](int node, int64_t number, const Exchange& exchange) {
        if (keep_ == Keep::samples)
            samples_.push_back({runs_, static_cast<int32_t>(number), nodes_.rank(), node, exchange});
    };
    Measurement measurement(link_, nodes_.rank(), nodes_.size(), effort_, witness);
    std::vector<std::optional<Estimate>> own{measurement.run()};
    ++runs_;
    std::vector<Estimate> estimates;
    for (const auto& of_node : nodes_.gather(own)) {
        if (!of_node.front()) throw Error(fmt::format("node {} stopped answering", estimates.size()));
        estimates.push_back(*of_node.front());
    }
    return estimates;
}

std::vector<Sample> Survey::take_samples() {
    std::vector<Sample> all;
    for (const std::vector<Sample>& of_node : nodes_.gather(samples_))
        all.insert(all.end(), of_node.begin(), of_node.end());
    samples_.clear();
    std::sort(all.begin(), all.end(), [](const Sample& a, const Sample& b) {
        return std::tie(a.run, a.node, a.number) < std::tie(b.run, b.node, b.number);
    });
    return all;
}

}  // namespace ovni::sync
