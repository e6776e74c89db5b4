// A file stream.json and its stream.obs through the emulator, strictly and with --keep-going. A stream of
// which --keep-going has left the good part is emulated without an Error.
#include "emu/start.hpp"
#include "emu/task_labels.hpp"
#include "session/dry_run.hpp"
#include "session/end_checks.hpp"
#include "session/salvaged_trace.hpp"
#include "tests/fuzz/one_stream.hpp"

namespace ovni::fuzz {

namespace {

void check(Emulator& emulator, const System& system) {
    int64_t last = 0;
    for (const Record& record : emulator.tracker().queue().take_before(INT64_MAX)) {
        require(record.time >= last);
        last = record.time;
        require(record.thread_row == Record::no_row || record.thread_row < system.threads().size());
        require(record.cpu_row == Record::no_row || record.cpu_row < system.cpus().size());
    }
}

void emulate(const Trace& trace, EnabledModels enabled) {
    System system(trace);
    Plan plan = make_plan(trace, system, enabled, Breakdowns::yes);
    std::vector<StreamReader> readers;
    std::vector<int64_t> clocks;
    for (uint32_t s = 0; s < trace.streams().size(); ++s) {
        clocks.push_back(no_clock);
        if (!trace.streams()[s].is_readable()) continue;
        readers.push_back(open_stream(trace, {}, s));
        clocks.back() = readers.back().first_clock().value_or(no_clock);
    }
    Emulator emulator(trace, system, plan, Strictness::tolerant, time_origin(trace, clocks),
                      std::vector<bool>(system.looms().size(), true));
    Merger merger(std::move(readers));
    const bool is_good = ends([&] {
        while (const EventView* event = merger.next()) emulator.apply(*event);
        faults_at_end(trace, emulator, Strictness::linter);
    });
    check(emulator, system);
    if (!is_good) throw Error("the stream has a wrong event");
}

Trace good_part(const TraceInMemory& files) {
    std::vector<Damage> damages;
    std::vector<StreamFile> good;
    for (const std::string& path : find_streams(files.path()).streams)
        if (auto file = salvage_stream(files.path(), path, Regions::as_they_are, damages))
            good.push_back(std::move(*file));
    Trace trace =
        salvaged_trace(files.path(), std::move(good), EnabledModels::required, Breakdowns::yes, damages);
    salvage_events(trace, {}, damages);
    return trace;
}

}  // namespace

}  // namespace ovni::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace ovni;
    using namespace ovni::fuzz;
    static const TraceInMemory files;
    const std::vector<std::string_view> texts = files_of(text_of(data, size), 2);
    files.put("stream.json", texts.size() > 1 && !texts[0].empty() ? texts[0] : rich_metadata);
    files.put("stream.obs", texts.back());
    for (EnabledModels enabled : {EnabledModels::required, EnabledModels::all})
        ends([&] { emulate(Trace::open(files.path()), enabled); });
    ends([] {
        Trace trace = good_part(files);
        require(ends([&] { emulate(trace, EnabledModels::required); }));
    });
    return 0;
}
