// The PCF and ROW files next to mpi.prv.
#pragma once

#include <string>

#include "messages/mpi_plan.hpp"
#include "sink/mpi_prv_text.hpp"

namespace ovni {

// Labels of what the file shows, and of nothing else: some tools go by the numbers that they find.
std::string mpi_pcf_text(const ShownInMpi& shown);

// The last line is that of a thread. Tools count the threads by the first one.
std::string mpi_row_text(const MpiPlan& plan, const MpiPlan::File& file);

}  // namespace ovni
