#include "cut/cut_trace.hpp"

#include <utility>

namespace ovni {

TraceCut::TraceCut(Trace trace, const CutOptions& options)
    : options_(options),
      trace_(std::move(trace)),
      clocks_(ClockModel::of_trace(trace_, options.clock_table)),
      plan_(plan_cut(trace_, System(trace_), clocks_, options_)) {}

CutSummary TraceCut::write(const std::filesystem::path& directory) const {
    return write_cut(trace_, clocks_, options_, plan_, directory);
}

}  // namespace ovni
