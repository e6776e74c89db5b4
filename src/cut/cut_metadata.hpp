// stream.json of the streams of a trace that is cut. A stream also describes things that concern others: CPUs
// of its loom, rank of its process, clock of its host, marks, hardware counters and required models of the
// trace. If it is left out, the first kept stream that they concern takes them over.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "cut/cut_options.hpp"

namespace ovni {

struct CutMetadata {
    const StreamMetadata* read = nullptr;  // as it was in the trace
    bool is_kept = false;
    bool ends_inside = false;    // its end by force lies in the part
    bool begins_inside = false;  // the part begins amid its events
    nlohmann::ordered_json json = {};
};

// `streams`: by stream. Changes the metadata of kept ones. Cutting twice gives what cutting once gives.
void cut_metadata(std::vector<CutMetadata>& streams, const CutOptions& options);

}  // namespace ovni
