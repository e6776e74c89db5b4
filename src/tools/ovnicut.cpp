// ovnicut: writes a part of a trace as a trace of its own.
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/outputs.hpp"
#include "cut/cut_trace.hpp"
#include "cut/cut_writer.hpp"
#include "session/check/trace_check.hpp"
#include "tools/cut_cli.hpp"

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
    const CutCommand command = read_cut_command(cli);
    advise_keep_going(command.trace, "ovniemu ");
    refuse_inside(command.output, command.trace);
    new_directory(command.output);
    make_file_limit_an_error();
    Trace trace = Trace::open(command.trace);
    refuse_no_trace(trace);
    const TraceCut cut(std::move(trace), command.options);
    OutputDirectory output(command.output);
    const CutSummary summary = cut.write(output.beside());
    output.commit();
    log::info("{} of {} streams, {} events; time 0 of {} is at {} ns of {}", summary.streams,
              summary.all_streams, summary.events, command.output.string(), summary.begin,
              command.trace.string());
    return 0;
}

}  // namespace

}  // namespace ovni

int main(int argc, char** argv) {
    return ovni::run_main("ovnicut", [&] { return ovni::run(argc, argv); });
}
