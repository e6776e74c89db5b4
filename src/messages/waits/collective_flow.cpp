#include "messages/waits/collective_flow.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <string_view>

#include "model/large_counts.hpp"
#include "mpi_function_rows.hpp"

namespace ovni {

namespace {

struct FlowRow {
    std::string_view name;  // behind MPI_ or MPI_I
    CollectiveFlow flow;
};
constexpr FlowRow flows[] = {
    {"barrier", CollectiveFlow::barrier},
    {"allgather", CollectiveFlow::n_to_n},
    {"allgatherv", CollectiveFlow::n_to_n},
    {"allreduce", CollectiveFlow::n_to_n},
    {"alltoall", CollectiveFlow::n_to_n},
    {"alltoallv", CollectiveFlow::n_to_n},
    {"alltoallw", CollectiveFlow::n_to_n},
    {"bcast", CollectiveFlow::from_root},
    {"scatter", CollectiveFlow::from_root},
    {"reduce_scatter", CollectiveFlow::n_to_n},
    {"gather", CollectiveFlow::to_root},
    {"scatterv", CollectiveFlow::from_root},
    {"gatherv", CollectiveFlow::to_root},
    {"reduce", CollectiveFlow::to_root},
    {"scan", CollectiveFlow::scan},
    {"reduce_scatter_block", CollectiveFlow::n_to_n},
    {"exscan", CollectiveFlow::scan},
    {"neighbor_allgather", CollectiveFlow::neighbours},
    {"win_fence", CollectiveFlow::fence},
    {"neighbor_allgatherv", CollectiveFlow::neighbours},
    {"neighbor_alltoall", CollectiveFlow::neighbours},
    {"neighbor_alltoallv", CollectiveFlow::neighbours},
    {"neighbor_alltoallw", CollectiveFlow::neighbours},
};

CollectiveFlow flow_named(std::string_view name) {
    auto row = std::ranges::find(flows, name, &FlowRow::name);
    return row == std::end(flows) ? CollectiveFlow::none : row->flow;
}

}  // namespace

CollectiveFlow flow_of(uint16_t function) {
    if (function >= std::size(mpi_function_rows)) return CollectiveFlow::none;
    constexpr std::string_view prefix = "MPI_", persistent = "_init";
    std::string_view usual = without_large_counts(mpi_function_rows[function].name).substr(prefix.size());
    if (usual.ends_with(persistent)) usual.remove_suffix(persistent.size());
    std::string name(usual);
    std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
    const CollectiveFlow flow = flow_named(name);
    return flow == CollectiveFlow::none && name.starts_with('i')
               ? flow_named(std::string_view(name).substr(1))
               : flow;
}

}  // namespace ovni
