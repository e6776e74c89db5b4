// A file clocks.json or clock-offsets.txt, chosen by an option or found in the trace.
#include "tests/fuzz/one_stream.hpp"
#include "trace/clock_file.hpp"
#include "trace/clock_model.hpp"

namespace ovni::fuzz {

namespace {

void use(const ClockModel& clocks, const Trace& trace) {
    const std::set<std::string> hosts = clocks.hosts_of(trace);
    clocks.check(hosts);
    clocks.check(clocks.hosts());
    for (int64_t end : {int64_t{0}, int64_t{1'000'000'000}, INT64_MAX}) clocks.summary(hosts, 0, end);
    const ClockLine& line = clocks.of_stream(trace.streams().front().metadata);
    int64_t last = INT64_MIN;
    for (int64_t raw : {INT64_MIN, int64_t{-1}, int64_t{0}, int64_t{1'000'000'000}, INT64_MAX}) {
        int64_t corrected = 0;
        if (!line.correct(raw, corrected)) continue;
        require(corrected >= last);
        last = corrected;
    }
}

// A file that was written reads as it was.
void expect_clocks_kept(std::string_view text) {
    const std::string written = clock_file_text(parse_clock_file(text, "clocks.json"));
    std::string again;
    require(ends([&] { again = clock_file_text(parse_clock_file(written, "clocks.json")); }));
    require(again == written);
}

}  // namespace

void take(std::string_view input) {
    static const TraceInMemory files;
    files.put("stream.json", rich_metadata);
    files.put("stream.obs", no_events);
    static const Trace trace = Trace::open(files.path());
    const std::string text(input);
    using File = ClockSources::File;
    const ClockSources sources[] = {
        {.chosen = File{"chosen", text}, .measured = {}, .table = {}},
        {.chosen = {}, .measured = File{clock_file_name, text}, .table = {}},
        {.chosen = {}, .measured = {}, .table = File{clock_table_name, text}},
    };
    for (const ClockSources& source : sources)
        ends([&] { use(ClockModel::of_sources(trace, source), trace); });
    clock_table_of(text, {"node0", "node1"});
    ends([&] { expect_clocks_kept(text); });
}

}  // namespace ovni::fuzz
