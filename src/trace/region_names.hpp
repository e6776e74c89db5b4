// The names of the regions of MPI_Pcontrol, from the labels of their marks.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "ovni/mpi_events.h"
#include "trace/trace.hpp"

namespace ovni {

// Names by value. A single thread may have them for all.
inline std::map<int64_t, std::string> names_of_regions(const Trace& trace) {
    std::map<int64_t, std::string> names;
    for (const Stream& stream : trace.streams())
        for (const MarkType& mark : *stream.metadata.common->marks)
            if (mark.type == OVNI_MPI_REGION_MARK) names.insert(mark.labels.begin(), mark.labels.end());
    return names;
}

}  // namespace ovni
