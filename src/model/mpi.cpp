// Event model `mpi`: in which MPI function a thread is. One stack, shown while the thread runs. The functions
// are those of mpi_functions.txt.
#include <iterator>

#include "model/model_spec.hpp"
#include "mpi_functions.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

constexpr std::string_view name_of(uint64_t number) {
    return number - 1 < std::size(further_mpi_functions) ? further_mpi_functions[number - 1]
                                                         : std::string_view();
}

constexpr EventSpec events[] = {
    {.signature = "MX[(u16 function)", .description = "begin: %@{function}", .name_of = name_of},
    {.signature = "MX](u16 function)", .description = "end: %@{function}", .name_of = name_of},
};

constexpr ChannelSpec channels[] = {
    {.name = "function",
     .kind = ChannelKind::stack,
     .prv_type = 25,
     .tracking = Tracking::running,
     .title = "MPI function",
     .states = mpi_functions,
     .further = {OVNI_MPI_FIRST_VALUE, further_mpi_functions}},
};

constexpr ViewSpec views[] = {
    {"mpi/function.cfg", "MPI function of the RUNNING thread", 25, ViewSpec::Row::thread},
    {"mpi/function.cfg", "MPI function of the RUNNING thread", 25, ViewSpec::Row::cpu},
};

}  // namespace

extern constinit const ModelSpec mpi_model = [] {
    constexpr ModelSpec model{.id = 'M',
                              .name = "mpi",
                              .version = OVNI_MPI_VERSION,
                              .guard = Guard::running,
                              .linter_channel = 0,
                              .channels = channels,
                              .events = events,
                              .views = views};
    static_assert(well_formed(model));
    return model;
}();

}  // namespace ovni
