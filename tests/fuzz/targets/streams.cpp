// A file stream.obs: read event by event and printed, through the merger, with its regions sorted while
// reading and sorted in the file. All ways read the same events up to the same fault.
#include "model/model_spec.hpp"
#include "tests/fuzz/one_stream.hpp"
#include "tools/event_text.hpp"
#include "trace/merger.hpp"
#include "trace/region_sort.hpp"

namespace ovni::fuzz {

namespace {

// The events of a reading as one number, and its end.
struct Reading {
    uint64_t events = 0, sum = 0;
    bool is_whole = false;
    bool operator==(const Reading&) const = default;

    void add(const EventView& event, Regions regions) {
        constexpr uint64_t prime = 0x100000001b3;
        ++events;
        sum = (sum ^ static_cast<uint64_t>(event.clock)) * prime;
        sum = (sum ^ event.code.bits()) * prime;
        if (regions == Regions::as_they_are) sum = (sum ^ event.offset) * prime;
    }
};

Reading by_reader(const Trace& trace, ClockOrder order, Regions regions) {
    Reading reading;
    EventText described(trace, PayloadText::described), hexadecimal(trace, PayloadText::hexadecimal);
    fmt::memory_buffer text;
    reading.is_whole = ends([&] {
        StreamReader reader = trace.reader(0, 0, order, regions);
        int64_t last = INT64_MIN;
        while (reader.next()) {
            const EventView& event = reader.event();
            require(order == ClockOrder::any || event.clock >= last);
            last = event.clock;
            reading.add(event, regions);
            text.clear();
            described.append(text, event, event.clock);
            hexadecimal.append(text, event, event.clock);
        }
    });
    return reading;
}

Reading by_merger(const Trace& trace, ClockOrder order, Regions regions) {
    Reading reading;
    reading.is_whole = ends([&] {
        std::vector<StreamReader> readers;
        readers.push_back(trace.reader(0, 0, order, regions));
        Merger merger(std::move(readers));
        while (const EventView* event = merger.next()) reading.add(*event, regions);
    });
    return reading;
}

void read_streams(const TraceInMemory& files) {
    Trace trace = Trace::open(files.path());
    const Reading good = by_reader(trace, ClockOrder::checked, Regions::as_they_are);
    require(good == by_merger(trace, ClockOrder::checked, Regions::as_they_are));
    by_reader(trace, ClockOrder::any, Regions::as_they_are);
    by_merger(trace, ClockOrder::any, Regions::as_they_are);
    Reading sorted = by_reader(trace, ClockOrder::any, Regions::sorted);
    report_disorder(files.path());
    if (!ends([&] { sort_regions(files.path()); })) return;
    Reading after = by_reader(trace, ClockOrder::any, Regions::as_they_are);
    if (!sorted.is_whole || !after.is_whole) return;
    require(sorted.events == after.events);
}

}  // namespace

void take(std::string_view input) {
    static const TraceInMemory files;
    files.put("stream.json", plain_metadata);
    files.put("stream.obs", input);
    ends([] { read_streams(files); });
}

}  // namespace ovni::fuzz
