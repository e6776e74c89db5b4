// Event model `mpi`: in which MPI function a thread is. One stack, shown while the thread runs.
#include "model/model_spec.hpp"

namespace ovni {

namespace {

constexpr StateRule functions[] = {
    {"MUi", "MUI", 1, "MPI_Init"},
    {"MUt", "MUT", 2, "MPI_Init_thread"},
    {"MUf", "MUF", 3, "MPI_Finalize"},
    {"MW[", "MW]", 4, "MPI_Wait"},
    {"MWa", "MWA", 5, "MPI_Waitall"},
    {"MWy", "MWY", 6, "MPI_Waitany"},
    {"MWs", "MWS", 7, "MPI_Waitsome"},
    {"MT[", "MT]", 8, "MPI_Test"},
    {"MTa", "MTA", 9, "MPI_Testall"},
    {"MTy", "MTY", 10, "MPI_Testany"},
    {"MTs", "MTS", 11, "MPI_Testsome"},
    {"MR[", "MR]", 12, "MPI_Recv"},
    {"MS[", "MS]", 13, "MPI_Send"},
    {"MSb", "MSB", 14, "MPI_Bsend"},
    {"MSr", "MSR", 15, "MPI_Rsend"},
    {"MSs", "MSS", 16, "MPI_Ssend"},
    {"MRs", "MRS", 17, "MPI_Sendrecv"},
    {"MRo", "MRO", 18, "MPI_Sendrecv_replace"},
    {"Mr[", "Mr]", 19, "MPI_Irecv"},
    {"Ms[", "Ms]", 20, "MPI_Isend"},
    {"Msb", "MsB", 21, "MPI_Ibsend"},
    {"Msr", "MsR", 22, "MPI_Irsend"},
    {"Mss", "MsS", 23, "MPI_Issend"},
    {"Mrs", "MrS", 24, "MPI_Isendrecv"},
    {"Mro", "MrO", 25, "MPI_Isendrecv_replace"},
    {"MAg", "MAG", 26, "MPI_Allgather"},
    {"MAr", "MAR", 27, "MPI_Allreduce"},
    {"MAa", "MAA", 28, "MPI_Alltoall"},
    {"MCb", "MCB", 29, "MPI_Barrier"},
    {"MDb", "MDB", 30, "MPI_Bcast"},
    {"MDg", "MDG", 31, "MPI_Gather"},
    {"ME[", "ME]", 32, "MPI_Reduce"},
    {"MEs", "MES", 33, "MPI_Reduce_scatter"},
    {"MEb", "MEB", 34, "MPI_Reduce_scatter_block"},
    {"MDs", "MDS", 35, "MPI_Scatter"},
    {"MCs", "MCS", 36, "MPI_Scan"},
    {"MCe", "MCE", 37, "MPI_Exscan"},
    {"Mag", "MaG", 38, "MPI_Iallgather"},
    {"Mar", "MaR", 39, "MPI_Iallreduce"},
    {"Maa", "MaA", 40, "MPI_Ialltoall"},
    {"Mcb", "McB", 41, "MPI_Ibarrier"},
    {"Mdb", "MdB", 42, "MPI_Ibcast"},
    {"Mdg", "MdG", 43, "MPI_Igather"},
    {"Me[", "Me]", 44, "MPI_Ireduce"},
    {"Mes", "MeS", 45, "MPI_Ireduce_scatter"},
    {"Meb", "MeB", 46, "MPI_Ireduce_scatter_block"},
    {"Mds", "MdS", 47, "MPI_Iscatter"},
    {"Mcs", "McS", 48, "MPI_Iscan"},
    {"Mce", "McE", 49, "MPI_Iexscan"},
};

constexpr ChannelSpec channels[] = {
    {.name = "function",
     .kind = ChannelKind::stack,
     .prv_type = 25,
     .tracking = Tracking::running,
     .title = "MPI function",
     .states = functions},
};

constexpr ViewSpec views[] = {
    {"mpi/function.cfg", "MPI function of the RUNNING thread", 25, ViewSpec::Row::thread},
    {"mpi/function.cfg", "MPI function of the RUNNING thread", 25, ViewSpec::Row::cpu},
};

}  // namespace

extern constinit const ModelSpec mpi_model = [] {
    constexpr ModelSpec model{.id = 'M',
                              .name = "mpi",
                              .version = "1.0.0",
                              .guard = Guard::running,
                              .linter_channel = 0,
                              .channels = channels,
                              .views = views};
    static_assert(well_formed(model));
    return model;
}();

}  // namespace ovni
