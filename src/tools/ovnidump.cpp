// ovnidump: prints the events of a trace in the order of their clocks.
#include "base/cli.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "tools/event_text.hpp"
#include "tools/text_output.hpp"
#include "trace/merger.hpp"

namespace ovni {

namespace {

int dump(const std::string& directory, PayloadText payload) {
    Trace trace = Trace::open(directory, Metadata::version_only);
    Merger merger(trace.readers(ClockOrder::any));
    EventText lines(trace, payload);
    TextOutput out;
    try {
        while (const EventView* event = merger.next()) {
            lines.append(out.text(), *event);
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

int run(int argc, char** argv) {
    Cli cli;
    cli.usage = "ovnidump [-x] DIR";
    cli.description =
        "Prints the events of the trace in DIR in the order of their raw clocks:\n"
        "clock, code, stream and description.";
    cli.options.add_options()("hexadecimal,x", "the bytes of payloads instead of descriptions");
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    return dump(only_word(cli, "trace directory"),
                cli.has("hexadecimal") ? PayloadText::hexadecimal : PayloadText::described);
}

}  // namespace

}  // namespace ovni

int main(int argc, char** argv) {
    return ovni::run_main("ovnidump", [&] { return ovni::run(argc, argv); });
}
