// Prints the rows of runtime/state_rows.hpp from the tables of the event models. Runs when the runtime
// library is built.
#include <fmt/format.h>

#include "model/state_events.hpp"

int main() {
    for (const ovni::StateEvent& event : ovni::state_events())
        fmt::print("{{{:#08x}, {:#08x}, StateRowKind::{}, {}, {}, {}, {}}},  // {}\n", event.code.bits(),
                   event.opposite.bits(), ovni::name_of(event.kind), event.stack, event.key_at,
                   event.key_size, event.kept, event.code.text().data());
}
