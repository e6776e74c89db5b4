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
    {"comm_dup", CollectiveFlow::members},
    {"comm_dup_with_info", CollectiveFlow::members},
    {"comm_idup", CollectiveFlow::members},
    {"comm_idup_with_info", CollectiveFlow::members},
    {"comm_split", CollectiveFlow::members},
    {"comm_split_type", CollectiveFlow::members},
    {"comm_create", CollectiveFlow::members},
    {"comm_create_group", CollectiveFlow::members},
    {"comm_create_from_group", CollectiveFlow::members},
    {"comm_free", CollectiveFlow::members},
    {"comm_disconnect", CollectiveFlow::members},
    {"comm_spawn", CollectiveFlow::members},
    {"comm_spawn_multiple", CollectiveFlow::members},
    {"comm_accept", CollectiveFlow::members},
    {"comm_connect", CollectiveFlow::members},
    {"intercomm_create", CollectiveFlow::members},
    {"intercomm_create_from_groups", CollectiveFlow::members},
    {"intercomm_merge", CollectiveFlow::members},
    {"cart_create", CollectiveFlow::members},
    {"cart_sub", CollectiveFlow::members},
    {"graph_create", CollectiveFlow::members},
    {"dist_graph_create", CollectiveFlow::members},
    {"dist_graph_create_adjacent", CollectiveFlow::members},
    {"win_create", CollectiveFlow::members},
    {"win_create_dynamic", CollectiveFlow::members},
    {"win_allocate", CollectiveFlow::members},
    {"win_allocate_shared", CollectiveFlow::members},
    {"win_free", CollectiveFlow::members},
    {"file_open", CollectiveFlow::members},
    {"file_close", CollectiveFlow::members},
    {"file_set_view", CollectiveFlow::members},
    {"file_set_size", CollectiveFlow::members},
    {"file_preallocate", CollectiveFlow::members},
    {"file_set_atomicity", CollectiveFlow::members},
    {"file_sync", CollectiveFlow::members},
    {"file_read_all", CollectiveFlow::members},
    {"file_read_at_all", CollectiveFlow::members},
    {"file_read_ordered", CollectiveFlow::members},
    {"file_write_all", CollectiveFlow::members},
    {"file_write_at_all", CollectiveFlow::members},
    {"file_write_ordered", CollectiveFlow::members},
    {"file_read_all_begin", CollectiveFlow::members},
    {"file_read_all_end", CollectiveFlow::members},
    {"file_read_at_all_begin", CollectiveFlow::members},
    {"file_read_at_all_end", CollectiveFlow::members},
    {"file_read_ordered_begin", CollectiveFlow::members},
    {"file_read_ordered_end", CollectiveFlow::members},
    {"file_write_all_begin", CollectiveFlow::members},
    {"file_write_all_end", CollectiveFlow::members},
    {"file_write_at_all_begin", CollectiveFlow::members},
    {"file_write_at_all_end", CollectiveFlow::members},
    {"file_write_ordered_begin", CollectiveFlow::members},
    {"file_write_ordered_end", CollectiveFlow::members},
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
