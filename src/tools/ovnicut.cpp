// ovnicut: writes a part of a trace as a trace of its own.
#include <csignal>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/outputs.hpp"
#include "tools/cut_options.hpp"
#include "tools/cut_plan.hpp"
#include "tools/cut_writer.hpp"

namespace ovni {

namespace {

namespace fs = std::filesystem;

// A trace in a trace would be read as one.
void refuse_inside(const fs::path& output, const fs::path& trace) {
    if (is_inside(output, trace))
        throw UsageError(fmt::format("-o {} is inside of {}", output.string(), trace.string()));
}

int run(int argc, char** argv) {
    Cli cli = cut_cli();
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    CutOptions options = read_cut_options(cli);
    refuse_inside(options.output, options.trace);
    new_directory(options.output);
    // A limit of file sizes is an error of write() like a full disk, not the end of the process.
    std::signal(SIGXFSZ, SIG_IGN);
    Trace trace = Trace::open(options.trace);
    System system(trace);
    ClockModel clocks = ClockModel::of_trace(trace, options.clock_table);
    CutPlan plan = plan_cut(trace, system, clocks, options);
    OutputDirectory output(options.output);
    CutSummary cut = write_cut(trace, clocks, options, plan, output.beside());
    output.commit();
    log::info("{} of {} streams, {} events; time 0 of {} is at {} ns of {}", cut.streams,
              trace.streams().size(), cut.events, options.output.string(), cut.begin - plan.origin,
              options.trace.string());
    return 0;
}

}  // namespace

}  // namespace ovni

int main(int argc, char** argv) {
    return ovni::run_main("ovnicut", [&] { return ovni::run(argc, argv); });
}
