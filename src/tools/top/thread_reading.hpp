// The events of one thread, for sums over what it is in, and its time in the trace. The sums end at a gap,
// unless they have take_gap(), at the end of the stream, and at damage.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/error.hpp"
#include "tools/top/profiled_process.hpp"
#include "trace/event_view.hpp"
#include "trace/stream_reader.hpp"
#include "trace/trace.hpp"

namespace ovni {

// Hands each event to `take(event)`. `thread.close(clock)` ends what the thread is in. The time of the thread
// is added to `time`. Throws the Error of a damaged stream when the sums have ended.
template <class Thread, class Take>
void read_thread(const Stream& stream, StreamReader& reader, Thread& thread, TimeInTrace& time, Take take) {
    int64_t clock = 0;
    std::optional<int64_t> begin;
    const auto close = [&] {
        thread.close(clock);
        if (begin) time.add(*begin, clock);
    };
    try {
        while (reader.next()) {
            const EventView& event = reader.event();
            clock = event.clock;
            if (!begin) begin = clock;
            if (event.kind == EventView::Kind::event)
                take(event);
            else if constexpr (requires { thread.take_gap(event.kind, true, clock); })
                thread.take_gap(event.kind, event.gap && event.gap->is_pause(), clock);
            else if (event.kind != EventView::Kind::gap_end)
                thread.close(clock);
        }
    } catch (const Error&) {
        close();
        throw;
    }
    if (stream.metadata.end) clock = std::max(clock, stream.metadata.end->clock.value_or(0));
    close();
}

}  // namespace ovni
