// Collectives, waits and efficiencies in a report.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "emu/plan/system.hpp"
#include "emu/records/schema.hpp"
#include "messages/analysis.hpp"
#include "source/call_sites.hpp"

namespace ovni {

// The names of regions of MPI_Pcontrol, by value.
std::map<int64_t, std::string> names_of_regions(const FileSchema& threads);
// Null for 0: in no region, or the whole run. A region without a name has its number.
nlohmann::ordered_json region_name(int64_t region, const std::map<int64_t, std::string>& names);
nlohmann::ordered_json collectives_in(const CollectiveSummary& collectives);

// The names of regions and of call sites.
struct PlaceNames {
    std::map<int64_t, std::string> regions;
    const CallSites& sites;
};
// `origin`: of time.
nlohmann::ordered_json waits_in(const WaitSummary& waits, const System& system, const PlaceNames& names,
                                int64_t origin);
nlohmann::ordered_json delays_in(const std::vector<DelayCost>& delays, const PlaceNames& names);
nlohmann::ordered_json critical_path_in(const CriticalPath& path, const PlaceNames& names);
nlohmann::ordered_json efficiencies_in(const Efficiencies& efficiencies, const FileSchema& threads);

}  // namespace ovni
