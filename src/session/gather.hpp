// The knowledge of ranks about their own looms at the end, put together. Collective; alike on all ranks, but
// for the content of a report, which is on rank 0.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "emu/task_labels.hpp"
#include "session/check/end_checks.hpp"
#include "session/report/facts.hpp"
#include "session/report/report.hpp"
#include "session/salvage/dry_run.hpp"

namespace ovni {

std::vector<GapFact> gather(const Ranks& ranks, const std::vector<GapFact>& mine);
std::vector<LabelledType> gather(const Ranks& ranks, const std::vector<LabelledType>& mine);
Findings gather(const Ranks& ranks, const Findings& mine);
EndChecks gather(const Ranks& ranks, const EndChecks& mine);
// On rank 0: bursts up to `end`, in the order of time; all of the first Bursts::most, and one more if there
// is one.
std::vector<Burst> gather(const Ranks& ranks, const Bursts& mine, Moment end);
// The counts of a report.
void gather(const Ranks& ranks, const Tallies& mine, ReportContent& content);
// The warnings of all ranks so far. Most come from the metadata that every rank has: rank 0 sends its own,
// the others what rank 0 does not know.
std::set<std::string> gather_warnings(const Ranks& ranks);

}  // namespace ovni
