#include "sink/otf2/otf2_functions.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

#include "model/large_counts.hpp"
#include "mpi_function_rows.hpp"

namespace ovni {

namespace {

struct Collective {
    std::string_view name;  // without "MPI_", in small letters
    OTF2_CollectiveOp operation;
    OTF2_RegionRole role;
};
constexpr Collective collectives[] = {
    {"barrier", OTF2_COLLECTIVE_OP_BARRIER, OTF2_REGION_ROLE_BARRIER},
    {"bcast", OTF2_COLLECTIVE_OP_BCAST, OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"gather", OTF2_COLLECTIVE_OP_GATHER, OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"gatherv", OTF2_COLLECTIVE_OP_GATHERV, OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"scatter", OTF2_COLLECTIVE_OP_SCATTER, OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"scatterv", OTF2_COLLECTIVE_OP_SCATTERV, OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"allgather", OTF2_COLLECTIVE_OP_ALLGATHER, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"reduce", OTF2_COLLECTIVE_OP_REDUCE, OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"scan", OTF2_COLLECTIVE_OP_SCAN, OTF2_REGION_ROLE_COLL_OTHER},
    {"exscan", OTF2_COLLECTIVE_OP_EXSCAN, OTF2_REGION_ROLE_COLL_OTHER},
    {"neighbor_allgather", OTF2_COLLECTIVE_OP_ALLGATHER, OTF2_REGION_ROLE_COLL_OTHER},
    {"neighbor_allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV, OTF2_REGION_ROLE_COLL_OTHER},
    {"neighbor_alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_REGION_ROLE_COLL_OTHER},
    {"neighbor_alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, OTF2_REGION_ROLE_COLL_OTHER},
    {"neighbor_alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW, OTF2_REGION_ROLE_COLL_OTHER},
};

const Collective* find(std::string_view name) {
    const auto* found = std::ranges::find(collectives, name, &Collective::name);
    return found == std::end(collectives) ? nullptr : found;
}

struct Found {
    const Collective* collective = nullptr;
    bool is_immediate = false;
};
Found find_collective(std::string_view name) {
    constexpr std::string_view prefix = "MPI_";
    if (!name.starts_with(prefix)) return {};
    std::string small;
    for (char c : without_large_counts(name).substr(prefix.size()))
        small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (const Collective* found = find(small)) return {found, false};
    return {small.starts_with('i') ? find(std::string_view(small).substr(1)) : nullptr, true};
}

struct RoleOfRecord {
    MpiRecord record;
    OTF2_RegionRole role;
};
constexpr RoleOfRecord roles[] = {
    {MpiRecord::Exchange, OTF2_REGION_ROLE_POINT2POINT},
    {MpiRecord::PostedExchange, OTF2_REGION_ROLE_POINT2POINT},
    {MpiRecord::PersistentSend, OTF2_REGION_ROLE_POINT2POINT},
    {MpiRecord::PersistentReceive, OTF2_REGION_ROLE_POINT2POINT},
    {MpiRecord::PostedSend, OTF2_REGION_ROLE_POINT2POINT},
    {MpiRecord::Send, OTF2_REGION_ROLE_POINT2POINT},
    {MpiRecord::PostedReceive, OTF2_REGION_ROLE_POINT2POINT},
    {MpiRecord::Receive, OTF2_REGION_ROLE_POINT2POINT},
    {MpiRecord::Probe, OTF2_REGION_ROLE_POINT2POINT},
    {MpiRecord::PostedMatchedReceive, OTF2_REGION_ROLE_POINT2POINT},
    {MpiRecord::MatchedReceive, OTF2_REGION_ROLE_POINT2POINT},
    {MpiRecord::Completion, OTF2_REGION_ROLE_POINT2POINT},
    {MpiRecord::Completions, OTF2_REGION_ROLE_POINT2POINT},
    {MpiRecord::Start, OTF2_REGION_ROLE_POINT2POINT},
    {MpiRecord::Starts, OTF2_REGION_ROLE_POINT2POINT},
    {MpiRecord::Collective, OTF2_REGION_ROLE_COLL_OTHER},
    {MpiRecord::OneSided, OTF2_REGION_ROLE_RMA},
    {MpiRecord::Transfer, OTF2_REGION_ROLE_FILE_IO},
};

using Use = Otf2ObjectUse;
using What = Otf2ObjectUse::What;
using Completes = Otf2ObjectUse::Completes;

struct UseOfRecord {
    MpiRecord record;
    What what;
};
constexpr UseOfRecord uses_of_records[] = {
    {MpiRecord::WindowMaker, What::make_window}, {MpiRecord::WindowEnd, What::free_window},
    {MpiRecord::FileMaker, What::open},          {MpiRecord::FileEnd, What::close},
    {MpiRecord::FileUse, What::flush},
};

struct Synchronisation {
    std::string_view name;
    What what;
    Completes completes;
};
constexpr Synchronisation synchronisations[] = {
    {"MPI_Win_fence", What::fence, Completes::everywhere},
    {"MPI_Win_flush", What::synchronise, Completes::everywhere},
    {"MPI_Win_flush_all", What::synchronise, Completes::everywhere},
    {"MPI_Win_flush_local", What::synchronise, Completes::locally},
    {"MPI_Win_flush_local_all", What::synchronise, Completes::locally},
    {"MPI_Win_unlock", What::synchronise, Completes::everywhere},
    {"MPI_Win_unlock_all", What::synchronise, Completes::everywhere},
    {"MPI_Win_complete", What::synchronise, Completes::locally},
};

struct Update {
    std::string_view name;
    OTF2_RmaAtomicType type;
};
constexpr Update updates[] = {
    {"MPI_Accumulate", OTF2_RMA_ATOMIC_TYPE_ACCUMULATE},
    {"MPI_Raccumulate", OTF2_RMA_ATOMIC_TYPE_ACCUMULATE},
    {"MPI_Get_accumulate", OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE},
    {"MPI_Rget_accumulate", OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE},
    {"MPI_Fetch_and_op", OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE},
    {"MPI_Compare_and_swap", OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP},
};

const MpiFunctionRow* row_of(std::string_view name) {
    const auto* found = std::ranges::find(mpi_function_rows, name, &MpiFunctionRow::name);
    return found == std::end(mpi_function_rows) ? nullptr : found;
}

OTF2_RegionRole role_of(MpiRecord record) {
    const auto* found = std::ranges::find(roles, record, &RoleOfRecord::record);
    return found == std::end(roles) ? OTF2_RegionRole{OTF2_REGION_ROLE_FUNCTION} : found->role;
}

Use one_sided(const MpiFunctionRow& row) {
    Use use{row.gives ? What::put : What::get};
    if (const auto* update = std::ranges::find(updates, without_large_counts(row.name), &Update::name);
        update != std::end(updates))
        use.what = What::update, use.update = update->type;
    return use;
}

// MPI_File_write_at_all_begin and the like say in their names what they are.
Use transfer(const MpiFunctionRow& row) {
    Use use{What::transfer};
    if (without_large_counts(row.name).ends_with("_begin")) use.what = What::begin_transfer;
    if (row.name.ends_with("_end")) use.what = What::end_transfer;
    use.mode = row.gives ? OTF2_IO_OPERATION_MODE_WRITE : OTF2_IO_OPERATION_MODE_READ;
    const bool is_split = use.what != What::transfer;
    const bool is_immediate = row.name.starts_with("MPI_File_i");
    const bool is_collective =
        row.name.find("_all") != row.name.npos || row.name.find("_ordered") != row.name.npos;
    if (is_split || is_immediate) use.flags |= OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
    if (is_collective) use.flags |= OTF2_IO_OPERATION_FLAG_COLLECTIVE;
    return use;
}

}  // namespace

OTF2_RegionRole otf2_role(std::string_view name) {
    if (const Found found = find_collective(name); found.collective) return found.collective->role;
    const MpiFunctionRow* row = row_of(name);
    return row ? role_of(row->record) : OTF2_RegionRole{OTF2_REGION_ROLE_FUNCTION};
}

bool otf2_posts_receive(std::string_view name) {
    const MpiFunctionRow* row = row_of(name);
    return row && (row->record == MpiRecord::PostedReceive || row->record == MpiRecord::PostedMatchedReceive);
}

std::optional<Otf2Collective> otf2_collective(std::string_view name) {
    using Blocking = Otf2Collective::Blocking;
    const Found found = find_collective(name);
    if (!found.collective) return {};
    return Otf2Collective{found.collective->operation, found.is_immediate ? Blocking::no : Blocking::yes};
}

std::optional<Otf2ObjectUse> otf2_object_use(std::string_view name) {
    const MpiFunctionRow* row = row_of(name);
    if (!row) return {};
    if (row->record == MpiRecord::OneSided) return one_sided(*row);
    if (row->record == MpiRecord::Transfer) return transfer(*row);
    const auto* synchronisation = std::ranges::find(synchronisations, name, &Synchronisation::name);
    if (synchronisation != std::end(synchronisations))
        return Use{synchronisation->what, synchronisation->completes};
    const auto* use = std::ranges::find(uses_of_records, row->record, &UseOfRecord::record);
    if (use == std::end(uses_of_records)) return {};
    return Use{use->what};
}

}  // namespace ovni
