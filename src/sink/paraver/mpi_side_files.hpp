// The PCF and ROW files next to mpi.prv.
#pragma once

#include <string>

#include "emu/records/schema.hpp"
#include "messages/plan/mpi_plan.hpp"
#include "sink/paraver/mpi_prv_text.hpp"

namespace ovni {

// Labels of what the file shows, and of nothing else: some tools go by the numbers that they find. `threads`
// has those of waits and of the critical path.
std::string mpi_pcf_text(const ShownInMpi& shown, const FileSchema& threads);

// The last line is that of a thread. Tools count the threads by the first one.
std::string mpi_row_text(const MpiPlan& plan, const MpiPlan::File& file);

}  // namespace ovni
