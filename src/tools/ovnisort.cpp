// ovnisort: sorts the unsorted regions of a trace in place.
#include <cstdlib>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/open_directory.hpp"
#include "base/typed_options.hpp"
#include "session/check/trace_check.hpp"
#include "trace/region_sort.hpp"
#include "trace/trace.hpp"

namespace ovni {

namespace {

std::filesystem::path directory_of(const Trace& trace, uint32_t stream) {
    return std::filesystem::path(trace.path_of(stream)).parent_path();
}

int check(const Trace& trace) {
    uint64_t disorder = 0;
    for (uint32_t i = 0; i < trace.streams().size(); ++i) disorder += report_disorder(directory_of(trace, i));
    if (disorder == 0)
        log::info("all streams sorted");
    else
        log::error("streams NOT sorted");
    return disorder == 0 ? 0 : 1;
}

int sort(const Trace& trace, uint64_t look_back) {
    for (uint32_t i = 0; i < trace.streams().size(); ++i) {
        // A packed stream is replaced, and its program would go on with the old file.
        if (trace.streams()[i].is_running && trace.reader(i, 0, ClockOrder::any).is_packed())
            throw Error("its program is running: wait for its end, or use ovniemu --sort", trace.path_of(i));
        const std::filesystem::path below =
            directory_of(trace, i).lexically_relative(trace.directory()).lexically_normal();
        const Fd opened = open_directory_in(trace.directory(), below, Missing::is_error);
        SortedRegions regions = sort_regions(name_of_open(opened, directory_of(trace, i)), look_back);
        log::debug("{}: {} regions sorted", trace.path_of(i), regions.sorted);
        if (regions.empty > 0) log::warn("{}: {} empty regions", trace.path_of(i), regions.empty);
    }
    return 0;
}

struct Options {
    bool checks = false;
    uint64_t look_back = 0;
};

uint64_t look_back(const std::string& value) {
    return number_of<uint64_t>("-n", value, 1);
}

constexpr TypedOption<Options> rows[] = {
    {{"check", "c", "", "", "Change nothing; report every clock that goes back."},
     choose<&Options::checks, true>},
    {{"look-back", "n", "EVENTS", "", "Events to look back for the place where a region belongs.", "1000000"},
     store_parsed<&Options::look_back, look_back>},
};

Cli sort_cli() {
    Cli cli;
    cli.manual = {
        .program = "ovnisort",
        .summary = "sort the unsorted regions of a trace",
        .usage = "ovnisort [OPTIONS] DIR",
        .words = "DIR",
        .description =
            R"(Sorts the regions of out-of-order events (between OU[ and OU]) of all streams of the trace in
DIR, in place. The emulators do so while reading with --sort.)",
        .options = {},
        .lists = "",
        .topics = {},
    };
    append_rows(cli.manual.options, rows);
    return cli;
}

int run(int argc, char** argv) {
    if (std::getenv("OVNI_DEBUG")) log::enable_debug();
    Cli cli = sort_cli();
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    std::string directory = only_word(cli, "trace directory");
    Options options;
    take_options(rows, cli, options);
    make_file_limit_an_error();
    Trace trace = Trace::open(directory, Metadata::version_only);
    refuse_no_trace(trace);
    return options.checks ? check(trace) : sort(trace, options.look_back);
}

}  // namespace

}  // namespace ovni

int main(int argc, char** argv) {
    return ovni::run_main("ovnisort", [&] { return ovni::run(argc, argv); });
}
