// Events of the model `counters`: every delta and every sample of memory is a line of its own.
#include <span>

#include "emu/dispatch.hpp"
#include "emu/emulator.hpp"
#include "emu/hooks/payload.hpp"
#include "model/counter_deltas.hpp"

namespace ovni {

namespace {

void take_deltas(Emulator& emulator, uint32_t t, const EventView& event) {
    const auto deltas = event.jumbo() ? std::nullopt : counter_deltas(event.code, event.payload());
    if (!deltas) throw Error(fmt::format("{} bytes are no whole deltas", event.payload().size()));
    const std::vector<uint16_t>& types = emulator.plan().counters_of[event.stream];
    const size_t end = deltas->first + deltas->count;
    if (end > types.size())
        throw Error(fmt::format("a delta of counter {}, but the stream names {} in ovni.counters", end - 1,
                                types.size()));
    for (size_t i = 0; i < deltas->count; ++i)
        emulator.tracker().instant(t, types[deltas->first + i], static_cast<int64_t>(deltas->values[i]));
}

void show_memory(Emulator& emulator, uint32_t t, const EventView& event) {
    expect_payload(event, 2 * sizeof(uint64_t));
    const uint16_t type = emulator.plan().memory_type;
    if (type == 0) throw Error("the memory of the process, but no stream names rss in ovni.counters");
    emulator.tracker().instant(t, type, argument<int64_t>(event, 0));
    emulator.tracker().instant(t, static_cast<uint16_t>(type + 1), argument<int64_t>(event, sizeof(int64_t)));
}

constexpr Hook counters_hook_table[] = {
    {"C4A", take_deltas}, {"C4B", take_deltas}, {"C4C", take_deltas}, {"C4D", take_deltas},
    {"C8A", take_deltas}, {"C8B", take_deltas}, {"C8C", take_deltas}, {"C8D", take_deltas},
    {"C8E", take_deltas}, {"C8F", take_deltas}, {"C8G", take_deltas}, {"C8H", take_deltas},
    {"CRm", show_memory},
};

}  // namespace

std::span<const Hook> counters_hooks() {
    return counters_hook_table;
}

}  // namespace ovni
