#include "session/replay/breakdown_lines.hpp"

namespace ovni {

BreakdownLines::BreakdownLines(const Ranks& ranks, const Plan& plan, const System& system) : ranks_(ranks) {
    size_t cpus = system.cpus().size() - system.looms().size();
    for (const BreakdownPlan& breakdown : plan.breakdowns)
        rows_.emplace_back(breakdown.spec().prv_type, cpus);
}

void BreakdownLines::append(const Stretch& slice, std::vector<std::vector<Record>>& lines) {
    for (size_t b = 0; b < rows_.size(); ++b) {
        std::vector<BreakdownChange> mine = changes_of(slice.changes, static_cast<uint16_t>(b));
        if (ranks_.is_alone()) {
            rows_[b].apply(mine, lines[b]);
            continue;
        }
        int rank = 0;
        for (const auto& sum : ranks_.allgather(SortedRows::sum_of(mine))) {
            if (rank++ == ranks_.rank()) SortedRows(rows_[b]).apply(mine, lines[b]);
            rows_[b].skip(sum);
        }
    }
}

}  // namespace ovni
