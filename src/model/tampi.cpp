// Event model `tampi`: task-aware MPI, what a thread does in it.
#include "model/channel_numbers.hpp"
#include "model/well_formed.hpp"

namespace ovni {

namespace {

constexpr StateRule subsystem_states[] = {
    {"TCi", "TCI", 1, "Communication: Issuing a non-blocking operation"},
    {"TGc", "TGC", 2, "Global array: Checking pending requests"},
    {"TLi", "TLI", 3, "Library code: Interface function"},
    {"TLp", "TLP", 4, "Library code: Polling function"},
    {"TQa", "TQA", 5, "Queue: Adding to a queue"},
    {"TQt", "TQT", 6, "Queue: Transfering to global array"},
    {"TRt", "TRT", 8, "Request: Testing a request"},
    {"TRc", "TRC", 7, "Request: Processing a completed request"},
    {"TRa", "TRA", 9, "Request: Testing all requests"},
    {"TRs", "TRS", 10, "Request: Testing some requests"},
    {"TTc", "TTC", 11, "Ticket: Creating a ticket"},
    {"TTw", "TTW", 12, "Ticket: Waiting a ticket"},
};

constexpr ChannelSpec channels[] = {
    {.name = "subsystem",
     .kind = ChannelKind::stack,
     .prv_type = 20,
     .tracking = Tracking::active,
     .title = "TAMPI subsystem",
     .states = subsystem_states},
};
static_assert(channels[tampi_channel::subsystem].name == "subsystem");

using Row = ViewSpec::Row;
constexpr ViewSpec views[] = {
    {"tampi/subsystem.cfg", "TAMPI subsystem of the ACTIVE thread", 20, Row::thread},
    {"tampi/subsystem.cfg", "TAMPI subsystem of the RUNNING thread", 20, Row::cpu},
};

}  // namespace

extern constinit const ModelSpec tampi_model = [] {
    constexpr ModelSpec model{.id = 'T',
                              .name = "tampi",
                              .version = "1.0.0",
                              .guard = Guard::running,
                              .linter_channel = tampi_channel::subsystem,
                              .channels = channels,
                              .views = views};
    static_assert(well_formed(model));
    return model;
}();

}  // namespace ovni
