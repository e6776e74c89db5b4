#include "messages/hybrid/use_facts.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace ovni {

void leave_out_starters(ThreadUseFacts& facts) {
    std::set<uint32_t> ranks;
    for (const ProcessUse& use : facts.processes)
        if (use.has_mpi != 0) ranks.insert(use.process);
    if (ranks.empty()) return;
    const auto is_no_rank = [&](const auto& of) { return !ranks.contains(of.process); };
    std::erase_if(facts.processes, is_no_rank);
    std::erase_if(facts.constructs, is_no_rank);
    std::erase_if(facts.sleepers, is_no_rank);
}

std::vector<ConstructUse> sums_by_label(std::span<const ConstructUse> constructs) {
    struct Sum {
        ConstructUse all;
        int64_t most = -1;  // ns lost by all.process
    };
    std::map<int64_t, Sum> by_label;
    for (const ConstructUse& use : constructs) {
        Sum& sum = by_label[use.label];
        sum.all.label = use.label;
        sum.all.visits += use.visits;
        sum.all.threads = std::max(sum.all.threads, use.threads);
        sum.all.elapsed += use.elapsed;
        add_times(sum.all.times, use.times);
        if (use.lost() <= sum.most) continue;
        sum.most = use.lost();
        sum.all.process = use.process;
    }
    std::vector<ConstructUse> all;
    for (const auto& [label, sum] : by_label) all.push_back(sum.all);
    return all;
}

}  // namespace ovni
