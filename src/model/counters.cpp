// Event model `counters`: what a thread used until a border of a call or region. The names of the counters
// are in the metadata of the stream; emu/hooks/counters_hooks.cpp makes lines of the deltas.
#include "model/well_formed.hpp"
#include "ovni/counter_events.h"

namespace ovni {

namespace {

constexpr EventSpec events[] = {
    {"C4A(u32 delta)", "counters from place 0 on, since the last border", Action::hook, stateless},
    {"C4B(u32 delta)", "counters from place 4 on, since the last border", Action::hook, stateless},
    {"C4C(u32 delta)", "counters from place 8 on, since the last border", Action::hook, stateless},
    {"C4D(u32 delta)", "counters from place 12 on, since the last border", Action::hook, stateless},
    {"C8A(u64 delta)", "counters from place 0 on, since the last border", Action::hook, stateless},
    {"C8B(u64 delta)", "counters from place 2 on, since the last border", Action::hook, stateless},
    {"C8C(u64 delta)", "counters from place 4 on, since the last border", Action::hook, stateless},
    {"C8D(u64 delta)", "counters from place 6 on, since the last border", Action::hook, stateless},
    {"C8E(u64 delta)", "counters from place 8 on, since the last border", Action::hook, stateless},
    {"C8F(u64 delta)", "counters from place 10 on, since the last border", Action::hook, stateless},
    {"C8G(u64 delta)", "counters from place 12 on, since the last border", Action::hook, stateless},
    {"C8H(u64 delta)", "counters from place 14 on, since the last border", Action::hook, stateless},
    {"CRm(u64 resident, u64 highest)", "memory of the process: %{resident} bytes, at most %{highest}",
     Action::hook, stateless},
    {"CSn(u64 ns)", "the next deltas count from %{ns} ns ago on", Action::ignore},
};

}  // namespace

extern constinit const ModelSpec counters_model = [] {
    constexpr ModelSpec model{.id = 'C',
                              .name = OVNI_COUNTERS_MODEL,
                              .version = OVNI_COUNTERS_VERSION,
                              .origin = Origin::ours,
                              .guard = Guard::none,
                              .events = events};
    static_assert(well_formed(model));
    return model;
}();

}  // namespace ovni
