// Event model `mpi`: in which MPI function a thread is. One stack, shown while the thread runs. The functions
// are those of mpi_functions.txt.
#include <iterator>

#include "model/channel_numbers.hpp"
#include "model/mpi_details.hpp"
#include "model/well_formed.hpp"
#include "mpi_functions.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

constexpr std::string_view name_of(uint64_t number) {
    return number - 1 < std::size(further_mpi_functions) ? further_mpi_functions[number - 1]
                                                         : std::string_view();
}

constexpr std::string_view name_of_end(uint64_t how) {
    constexpr std::string_view names[] = {"completed", "cancelled", "freed", "failed"};
    return how < std::size(names) ? names[how] : std::string_view();
}

// Names of peers and tags that are no numbers, of 32 bits.
constexpr std::string_view name_of_rank(uint64_t rank) {
    if (rank == static_cast<uint32_t>(OVNI_MPI_ANY)) return "any";
    return rank == static_cast<uint32_t>(OVNI_MPI_NOBODY) ? "nobody" : std::string_view();
}

// How far the id of a communicator is valid.
constexpr std::string_view name_of_flags(uint64_t flags) {
    if (flags & OVNI_MPI_BY_USE) return "here";
    return flags & OVNI_MPI_FOREIGN ? "in this world" : "everywhere";
}

constexpr std::string_view name_of_kind(uint64_t kind) {
    constexpr std::string_view names[] = {"", "window", "file"};
    return kind < std::size(names) ? names[kind] : std::string_view();
}

constexpr EventSpec events[] = {
    {.signature = "MX[(u16 function)",
     .description = "begin: %@{function}",
     .state = {.kind = StateKind::push, .channel = mpi_channel::function, .opposite = "MX]", .kept = 2},
     .name_of = name_of},
    {.signature = "MX](u16 function)",
     .description = "end: %@{function}",
     .state = {.kind = StateKind::pop, .channel = mpi_channel::function},
     .name_of = name_of},
    {.signature = "MXp(u32 request)", .description = "posts request %{request}", .action = Action::ignore},
    {.signature = "MXs(i32 peer, i32 tag, u32 communicator, u32 request)",
     .description =
         "persistent send %{request} starts: peer=%@{peer} tag=%@{tag} communicator=%{communicator}",
     .action = Action::ignore,
     .name_of = name_of_rank},
    {.signature = "MXo(i32 peer, i32 tag, u32 communicator, u32 request)",
     .description =
         "persistent receive %{request} starts: peer=%@{peer} tag=%@{tag} communicator=%{communicator}",
     .action = Action::ignore,
     .name_of = name_of_rank},
    {.signature = "MXg(u32 request, u32 start, u32 made)",
     .description = "request %{request} starts: start=%{start} made=%{made}",
     .action = Action::ignore},
    {.signature = "MXc(u32 request, u32 how)",
     .description = "request %{request} ends: %@{how}",
     .action = Action::ignore,
     .name_of = name_of_end},
    {.signature = "MXr(u64 bytes, i32 peer, i32 tag)",
     .description = "the message received: bytes=%{bytes} peer=%@{peer} tag=%@{tag}",
     .action = Action::ignore,
     .name_of = name_of_rank},
    {.signature = "MXb(u64 bytes)", .description = "transferred: bytes=%{bytes}", .action = Action::ignore},
    {.signature = "MX@(u32 site)", .description = "calls come from site %{site}", .state = stateless},
    {.signature = "MXC+(u32 communicator, u32 flags, u64 id, i32 rank, u32 size, u32 remote, u32 first)",
     .description = "communicator %{communicator}: id=%llx{id} holds %@{flags} rank=%{rank} size=%{size} "
                    "remote=%{remote}",
     .action = Action::ignore,
     .state = defines,
     .name_of = name_of_flags},
    {.signature = "MXO+(u32 object, u32 kind, u32 communicator, str name)",
     .description = "%@{kind} %{object}: communicator=%{communicator} name=%{name}",
     .action = Action::ignore,
     .state = defines,
     .name_of = name_of_kind},
    {.signature = "MXN+(u32 object, str name)",
     .description = "object %{object} is named %{name}",
     .action = Action::ignore,
     .state = defines},
    {.signature = "MXk+(u32 communicator, u32 flags, u64 id, i32 rank, i32 peer, i32 tag, u32 sends, u32 "
                  "receives)",
     .description = "not recorded: sends=%{sends} receives=%{receives} peer=%@{peer} tag=%{tag} "
                    "communicator=%{communicator}",
     .action = Action::ignore,
     .state = defines,
     .name_of = name_of_rank},
    {.signature = "MXu+(u32 communicator, u32 flags, u64 id, i32 rank, i32 peer, i32 tag, u32 request)",
     .description = "receive %{request} is under way, its begin not recorded: peer=%@{peer} tag=%@{tag} "
                    "communicator=%{communicator}",
     .action = Action::ignore,
     .state = defines,
     .name_of = name_of_rank},
    {.signature = "MXe+(u32 request, u32 how, i32 peer, i32 tag)",
     .description = "request %{request} has ended, not recorded: %@{how}",
     .action = Action::ignore,
     .state = defines,
     .name_of = name_of_end},
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
static_assert(channels[mpi_channel::function].name == "function");

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
                              .linter_channel = mpi_channel::function,
                              .channels = channels,
                              .events = events,
                              .views = views,
                              .details = describe_mpi_details};
    static_assert(well_formed(model));
    return model;
}();

}  // namespace ovni
