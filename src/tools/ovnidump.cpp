// ovnidump: prints the events of a trace in the order of their clocks.
#include <map>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/parallel.hpp"
#include "base/printable.hpp"
#include "base/table_memory.hpp"
#include "base/typed_options.hpp"
#include "cut/focus.hpp"
#include "emu/plan/start.hpp"
#include "model/mpi_region.hpp"
#include "session/check/left_events.hpp"
#include "session/check/trace_check.hpp"
#include "source/call_sites.hpp"
#include "tools/event_text.hpp"
#include "tools/message_partners.hpp"
#include "tools/text_output.hpp"
#include "tools/wait_sources.hpp"
#include "trace/clock_model.hpp"
#include "trace/merger.hpp"
#include "trace/region_names.hpp"

namespace ovni {

namespace {

struct Options {
    std::filesystem::path directory;
    PayloadText payload = PayloadText::described;
    bool corrected = false;
    bool partners = false;
    bool times = false;
    Focus focus;
    std::optional<std::string> clocks;
    std::optional<size_t> wait;  // its number; then no event is printed

    bool is_corrected() const { return corrected || times || !focus.is_whole(); }
};

// The trace that a directory is part of, by the names that the library gives.
std::filesystem::path trace_around(const std::filesystem::path& directory) {
    std::filesystem::path whole = std::filesystem::canonical(directory), around = whole;
    bool is_part = false;
    for (const char* part : {"thread.", "proc.", "loom."}) {
        bool has_name = around.filename().string().starts_with(part);
        if (is_part && !has_name) return whole;
        if (!has_name) continue;
        is_part = true;
        around = around.parent_path();
    }
    return around;
}

// The choice of events, and their time, by the trace that they are part of.
class Shown {
 public:
    Shown(const Trace& part, const Options& options) : focus_(options.focus), part_(part) {
        const std::filesystem::path around =
            options.clocks ? part.directory() : trace_around(part.directory());
        if (around != std::filesystem::canonical(part.directory()) && !options.clocks)
            around_.emplace(Trace::open(around));
        clocks_ = ClockModel::of_trace(whole(), options.clocks);
        if (!options.times && focus_.is_whole()) return;
        origin_ = time_origin(whole(), clocks_);
        time_ = time_of(focus_, whole(), clocks_, origin_);
    }
    const ClockModel& clocks() const { return clocks_; }
    int64_t origin() const { return origin_; }
    std::vector<bool> streams() const { return streams_of(focus_, part_); }
    bool has(const EventView& event) const { return time_.contains(event.clock - origin_); }

 private:
    const Trace& whole() const { return around_ ? *around_ : part_; }

    const Focus& focus_;
    const Trace& part_;
    std::optional<Trace> around_;  // if that is more
    ClockModel clocks_;
    int64_t origin_ = 0;
    TimeSpan time_;
};

std::vector<StreamReader> corrected_readers(const Trace& trace, const Shown& shown) {
    const ClockModel& clocks = shown.clocks();
    const std::vector<bool> chosen = shown.streams();
    std::vector<StreamReader> readers;
    for (uint32_t s = 0; s < trace.streams().size(); ++s)
        if (chosen[s])
            readers.push_back(
                trace.reader(s, clocks.of_stream(trace.streams()[s].metadata), ClockOrder::any));
    return readers;
}

// Names of call sites, found when the first is wanted. Metadata that cannot be read gives none.
class SiteNames {
 public:
    explicit SiteNames(std::filesystem::path directory) : directory_(std::move(directory)) {}
    std::string name(uint32_t stream, uint32_t site) {
        if (!was_read_) read();
        if (sites_.empty()) return "";
        const MpiSites& of_stream = sites_.of_stream(stream);
        auto found = of_stream.find(site);
        if (found == of_stream.end()) return "";
        return fmt::format("{} from {}", found->second.function->name, sites_.text(found->second.site));
    }

 private:
    void read() {
        was_read_ = true;
        try {
            const Trace trace = Trace::open(directory_);
            sites_ = CallSites(trace, resolve(code_places(trace)));
        } catch (const Error& e) {
            log::warn("call sites have no names: {}", e.what());
        }
    }

    std::filesystem::path directory_;
    bool was_read_ = false;
    CallSites sites_;
};

// The name of the region that the event enters or leaves; empty if it has none.
std::string region_text(const std::map<int64_t, std::string>& names, const EventView& event) {
    if (event.kind != EventView::Kind::event || event.jumbo()) return "";
    const auto border = mpi_region_border(event.code, event.payload());
    const auto name = border ? names.find(border->region) : names.end();
    return name == names.end() ? "" : " " + one_line(name->second);
}

// The other ends of messages, with their clocks as they are printed.
class Partners {
 public:
    // `zero`: the clock that is printed as 0.
    Partners(const Trace& shown, const ClockModel& clocks, int64_t zero)
        : whole_(Trace::open(trace_around(shown.directory()))),
          partners_(whole_, shown, zero, [&](uint32_t s) {
              return whole_.reader(s, clocks.of_stream(whole_.streams()[s].metadata), ClockOrder::any,
                                   Regions::as_they_are, Checksums::compared_quietly);
          }) {}
    std::string text(const EventView& event) const { return partners_.text(event); }

 private:
    Trace whole_;
    MessagePartners partners_;
};

int dump(const Options& options) {
    expect_begun(options.directory);
    Trace trace = Trace::open(options.directory,
                              options.is_corrected() ? Metadata::interpreted : Metadata::version_only);
    refuse_no_trace(trace);
    warn_about_left_events(trace);
    std::optional<Shown> shown;
    if (options.is_corrected()) shown.emplace(trace, options);
    const int64_t zero = options.times ? shown->origin() : 0;
    std::optional<Partners> partners;
    if (options.partners) partners.emplace(trace, shown ? shown->clocks() : ClockModel(), zero);
    std::map<int64_t, std::string> regions;
    if (options.times) regions = names_of_regions(trace);
    EventText::TextBehind behind;
    if (partners || !regions.empty())
        behind = [&](const EventView& event) {
            return region_text(regions, event) + (partners ? partners->text(event) : "");
        };
    Merger merger(shown ? corrected_readers(trace, *shown) : trace.readers(ClockOrder::any));
    SiteNames names(options.directory);
    EventText lines(
        trace, options.payload, [&](uint32_t stream, uint32_t site) { return names.name(stream, site); },
        behind);
    TextOutput out;
    try {
        while (const EventView* event = merger.next()) {
            if (shown && !shown->has(*event)) continue;
            lines.append(out.text(), *event, event->clock - zero);
            if (out.write() == TextOutput::Reader::gone) return 0;
        }
    } catch (const Error&) {
        out.flush();
        throw;
    }
    out.flush();
    if (lines.backwards() > 0)
        log::warn("{} events have a lower clock than the event before", lines.backwards());
    return 0;
}

int print_wait(const Options& options) {
    expect_begun(options.directory);
    const Trace trace = Trace::open(options.directory);
    refuse_no_trace(trace);
    const System system(trace);
    const ClockModel clocks = ClockModel::of_trace(trace, options.clocks);
    limit_table_memory(fair_memory_limit(1), std::filesystem::temp_directory_path());
    const CallSites sites = resolved_call_sites(trace);
    const ScannedPart all = ScannedPart::all_processes(system, usable_cores(), sites.of_streams());
    Scanned scanned = scan(trace, system, all, {.messages = true},
                           [&](uint32_t s) { return open_stream(trace, clocks, s); });
    const TrafficAnalysis traffic = analyse_traffic(Ranks(), trace, system, clocks, all.processes, scanned,
                                                    all.threads, Analysis::for_timeline);
    TextOutput out;
    for (const std::string& line :
         sources_of_wait(traffic, {trace, system, sites, time_origin(trace, clocks)}, *options.wait))
        fmt::format_to(std::back_inserter(out.text()), "{}\n", line);
    out.flush();
    for (const std::string& damage : scanned.damages) log::error("{}", damage);
    return scanned.damages.empty() ? 0 : 1;
}

size_t number_of_wait(const std::string& value) {
    return number_of<size_t>("--wait", value, 1);
}

constexpr TypedOption<Options> rows[] = {
    {{"hexadecimal", "x", "", "", "Print the bytes of payloads instead of descriptions."},
     choose<&Options::payload, PayloadText::hexadecimal>},
    {{"corrected", "", "", "",
      "Print clocks and order as the emulator sees them, with the known corrections of node clocks."},
     choose<&Options::corrected, true>},
    {{"times", "", "", "",
      R"(Print times as ovniemu shows them instead of clocks: ns since the first event, clocks corrected; and the names of regions
     of MPI_Pcontrol.)"},
     choose<&Options::times, true>},
    {{"partners", "", "", "",
      R"(Print the other end of a message behind the event that sends it (->: who receives it, and the clock at which the
     receive was complete) and behind the one that posts its receive (<-: who sends it, and the clock at which the send
     began).)"},
     choose<&Options::partners, true>},
    {{"wait", "", "N", "",
      R"(Print no events, but what the wait of number N was found from: both ends of the messages that its call completes, or
     all members of its collective, with their calls, times, and places in the streams. N is its number among the longest
     waits: ovnitop --waits prints numbers 1 to 20, and a report has 1 to 100 (waits, longest).)"},
     store_parsed<&Options::wait, number_of_wait>},
    {{"clock-offsets", "c", "FILE", "",
      R"(File to correct by, with --corrected, --times, --wait or a part: clocks.json or clock-offsets.txt of any name.)"},
     store<&Options::clocks>},
};

Cli dump_cli() {
    Cli cli;
    cli.manual = {
        .program = "ovnidump",
        .summary = "print the events of a trace",
        .usage = "ovnidump [OPTIONS] DIR",
        .words = "DIR",
        .description =
            R"(Prints the events of the trace in DIR, or of a part of it, in the order of their raw clocks:
clock, code, stream and description. A gap in a stream has the code --- at its begin and at its end. Events that no model
knows are printed as UNKNOWN, and the first of each code is reported.

A TIME counts from the first event, as in the outputs of ovniemu: 1.5s 300ms 20us 123456ns. A part is printed as with
--corrected.)",
        .options = {},
        .lists = "",
        .topics = {},
    };
    append_rows(cli.manual.options, rows);
    insert_focus_rows(cli.manual, std::size(rows));
    return cli;
}

Options read_options(const Cli& cli) {
    Options options;
    options.directory = only_word(cli, "trace directory");
    take_options(rows, cli, options);
    options.focus = read_focus(cli);
    if (options.wait) {
        for (const char* other : {"hexadecimal", "corrected", "partners", "times"})
            if (cli.has(other))
                throw UsageError(fmt::format("--wait prints no events, so --{} has no effect", other));
        if (!options.focus.is_whole()) throw UsageError("--wait needs the whole trace, not a part of it");
    } else if (options.clocks && !options.is_corrected()) {
        throw UsageError("-c needs --corrected, --times or --wait (see --help)");
    }
    return options;
}

int run(int argc, char** argv) {
    Cli cli = dump_cli();
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    make_file_limit_an_error();
    const Options options = read_options(cli);
    advise_keep_going(options.directory, "ovniemu ");
    return options.wait ? print_wait(options) : dump(options);
}

}  // namespace

}  // namespace ovni

int main(int argc, char** argv) {
    return ovni::run_main("ovnidump", [&] { return ovni::run(argc, argv); });
}
