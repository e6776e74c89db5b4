#include "tests/bench/writer/trace_count.hpp"

#include "trace/trace.hpp"

namespace ovni::bench {

TraceCount count_events(const std::filesystem::path& directory) {
    TraceCount found;
    Trace trace = Trace::open(directory, Metadata::version_only);
    for (uint32_t stream = 0; stream < trace.streams().size(); ++stream) {
        ++found.streams;
        StreamReader reader = trace.reader(stream, 0, ClockOrder::checked);
        for (uint64_t number = 0; reader.next();) {
            const EventView& event = reader.event();
            if (event.kind != EventView::Kind::event || event.code != EventCode("OB.")) continue;
            ++found.events;
            std::span<const uint8_t> payload = event.payload();
            if (payload.size() < sizeof number) continue;
            uint64_t recorded = ovni_format_load_u64(payload.data());
            if (recorded != number) ++found.out_of_order;
            number = recorded + 1;
        }
    }
    return found;
}

}  // namespace ovni::bench
