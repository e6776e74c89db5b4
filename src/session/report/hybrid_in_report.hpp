// Hybrid efficiencies and what threads did, as a section of a report.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emu/records/schema.hpp"
#include "messages/hybrid/hybrid_efficiency.hpp"
#include "messages/hybrid/thread_use.hpp"
#include "session/report/report.hpp"
#include "trace/trace.hpp"

namespace ovni {

// Empty if no process has several threads, or if the trace was not played to its end.
std::vector<HybridEfficiency> hybrid_efficiencies_of(const ReportContent& content);

// Null if no process has several threads.
nlohmann::ordered_json hybrid_in(const std::vector<HybridEfficiency>& all, const ReportContent& content,
                                 const Trace& trace, const System& system, const FileSchema& threads);

// The labels of the parallel regions of OpenMP, by value.
std::map<int64_t, std::string> labels_of_parallel_regions(const FileSchema& threads);
// "heat.c:12" of their code, by label, where that is known.
std::map<std::string, std::string> lines_of_labels(const ReportContent& content);

}  // namespace ovni
