// A cut of a trace from begin to end: the trace is read twice, first for the plan, then for the files.
#pragma once

#include <filesystem>

#include "cut/cut_options.hpp"
#include "cut/cut_plan.hpp"
#include "cut/cut_writer.hpp"
#include "trace/clock_model.hpp"
#include "trace/trace.hpp"

namespace ovni {

class TraceCut {
 public:
    // Plans the cut. Throws what plan_cut() throws, before anything is written.
    TraceCut(Trace trace, const CutOptions& options);
    // Writes the part into `directory`, which is empty. Throws what write_cut() throws.
    CutSummary write(const std::filesystem::path& directory) const;

 private:
    CutOptions options_;
    Trace trace_;
    ClockModel clocks_;
    CutPlan plan_;
};

}  // namespace ovni
