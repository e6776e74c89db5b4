// What the ranks know of their own looms at the end, put together. Collective; alike on all ranks, but for
// the content of a report, which is on rank 0.
#pragma once

#include <vector>

#include "emu/task_labels.hpp"
#include "mpi/comm/comm.hpp"
#include "session/dry_run.hpp"
#include "session/end_checks.hpp"
#include "session/facts.hpp"
#include "session/report.hpp"

namespace ovni {

std::vector<GapFact> gather(const Comm& comm, const std::vector<GapFact>& mine);
std::vector<LabelledType> gather(const Comm& comm, const std::vector<LabelledType>& mine);
Findings gather(const Comm& comm, const Findings& mine);
EndChecks gather(const Comm& comm, const EndChecks& mine);
// What was counted, and the warnings: those of all looms come from one rank or another.
void gather(const Comm& comm, const Tallies& mine, ReportContent& content);

}  // namespace ovni
