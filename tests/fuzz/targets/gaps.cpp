// A file stream.gaps.json, and the stream.obs that it belongs to.
#include "trace/gaps.hpp"

#include <algorithm>

#include "tests/fuzz/one_stream.hpp"
#include "trace/merger.hpp"

namespace ovni::fuzz {

namespace {

void read_gapped(const Trace& trace, ClockOrder order, Regions regions) {
    ends([&] {
        std::vector<StreamReader> readers;
        readers.push_back(trace.reader(0, 0, order, regions));
        Merger merger(std::move(readers));
        int64_t last = INT64_MIN;
        while (const EventView* event = merger.next()) {
            require(order == ClockOrder::any || event->clock >= last);
            last = event->clock;
        }
    });
}

// Gaps that were written read as they were.
void expect_gaps_kept(const TraceInMemory& files) {
    const std::vector<Gap> gaps = read_gaps(files.path());
    write_gaps(files.path(), gaps);
    const std::vector<Gap> again = read_gaps(files.path());
    require(std::ranges::equal(gaps, again, [](const Gap& a, const Gap& b) {
        return a.offset == b.offset && a.from == b.from && a.to == b.to && a.lost == b.lost &&
               a.reason == b.reason;
    }));
}

}  // namespace

void take(std::string_view input) {
    static const TraceInMemory files;
    put_stream(files, "stream.gaps.json", input);
    ends([] {
        Trace trace = Trace::open(files.path());
        for (ClockOrder order : {ClockOrder::checked, ClockOrder::any})
            for (Regions regions : {Regions::as_they_are, Regions::sorted})
                read_gapped(trace, order, regions);
        expect_gaps_kept(files);
    });
}

}  // namespace ovni::fuzz
