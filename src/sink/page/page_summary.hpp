// The report of a trace (ovniemu --help report) in the size of a page: members of single processes become
// tables of ranks, or of hosts where ranks are many, and long lists end early.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

namespace ovni {

// Members of the page besides its timeline:
// - `report`: the report without the sums of single processes, messages.matrix and messages.nodes.
// - `left_out`: by the path of a list in it, how many items the list has in the report, if it is cut.
// - `processes`: names, by place in the report.
// - `functions`: time in MPI: names of rows and of functions; cells: row, function, calls, ns, sent,
// received.
// - `matrix`: null, or messages: names of rows; cells: from, to, messages, bytes.
nlohmann::ordered_json page_summary(const nlohmann::ordered_json& report);

}  // namespace ovni
