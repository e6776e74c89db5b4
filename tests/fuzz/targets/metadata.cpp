// One or two files stream.json: parsed, as parts of one system, and cut.
#include <algorithm>

#include "base/json.hpp"
#include "cut/cut_metadata.hpp"
#include "emu/plan/plan.hpp"
#include "tests/fuzz/one_stream.hpp"
#include "trace/clock_model.hpp"

namespace ovni::fuzz {

namespace {

void parse(std::string_view text) {
    ends([&] { parse_metadata(text, "stream.json"); });
    ends([&] { parse_metadata_version(text, "stream.json"); });
    is_of_running_program(text);
}

void cut(const Trace& trace, const std::vector<std::string_view>& texts) {
    std::vector<CutMetadata> all;
    for (size_t i = 0; i < texts.size(); ++i)
        all.push_back({&trace.streams()[i].metadata, i > 0 || texts.size() == 1, i > 0, i == 0,
                       parse_json(texts[i], "stream.json")});
    cut_metadata(all, {});
    for (const CutMetadata& stream : all)
        if (stream.is_kept) require(ends([&] { parse_metadata(stream.json.dump(), "stream.json"); }));
}

void open(const TraceInMemory& files, const std::vector<std::string_view>& texts) {
    Trace trace = Trace::open(files.path());
    System system(trace);
    for (EnabledModels enabled : {EnabledModels::required, EnabledModels::all})
        for (Breakdowns breakdowns : {Breakdowns::no, Breakdowns::yes})
            ends([&] { make_plan(trace, system, enabled, breakdowns, unnamed_call_sites(trace)); });
    ends([&] {
        ClockModel clocks = ClockModel::of_trace(trace, {});
        clocks.check(clocks.hosts_of(trace));
    });
    cut(trace, texts);
}

}  // namespace

void take(std::string_view input) {
    static const TraceInMemory files;
    const std::vector<std::string_view> texts = files_of(input, 2);
    for (std::string_view text : texts) parse(text);
    for (const char* name : {"a", "b"}) files.remove(std::string(name) + "/stream.json");
    for (size_t i = 0; i < texts.size(); ++i) {
        const std::string directory = i == 0 ? "a/" : "b/";
        files.put(directory + "stream.json", texts[i]);
        files.put(directory + "stream.obs", no_events);
    }
    ends([&] { open(files, texts); });
}

}  // namespace ovni::fuzz
