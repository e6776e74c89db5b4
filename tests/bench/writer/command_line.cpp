#include "tests/bench/writer/command_line.hpp"

#include "base/cli.hpp"
#include "base/error.hpp"
#include "tests/bench/writer/rounds.hpp"
#include "tests/bench/writer/trace_count.hpp"

namespace ovni::bench {

namespace {

// Emitted by a run: what its trace must hold.
void print_emitted(const Plan& plan, uint64_t events_of_thread) {
    fmt::print("{{\"emitted\": {}}}\n", plan.threads * events_of_thread);
}

void rate(const Variant& variant, const Plan& plan, const std::string& loop) {
    if (loop != "tight" && loop != "work") throw UsageError("unknown loop '" + loop + "'");
    for (const Slice& slice : loop == "tight" ? rate_tight(variant, plan) : rate_in_work(variant, plan))
        fmt::print("{{\"cpu\": {:.3f}, \"wall\": {:.3f}, \"base_cpu\": {:.3f}, \"base_wall\": {:.3f}}}\n",
                   slice.variant.cpu, slice.variant.wall, slice.base.cpu, slice.base.wall);
    print_emitted(plan, (plan.slices + 1) * plan.events);
}

void print(const char* what, const Histogram& histogram, double tick) {
    fmt::print("{{\"of\": \"{}\"", what);
    for (const char* percent : {"50", "90", "99", "99.9", "99.99"})
        fmt::print(", \"{}\": {:.1f}", percent,
                   tick * static_cast<double>(histogram.quantile(std::atof(percent) / 100)));
    fmt::print(", \"max\": {:.1f}}}\n", tick * static_cast<double>(histogram.longest()));
}

void latency(const Variant& variant, const Plan& plan) {
    Latencies found = latencies(variant, plan);
    print("base", found.base, found.tick);
    print("variant", found.variant, found.tick);
    print_emitted(plan, plan.slices * plan.events + plan.events / 10);
}

void total(const Variant& variant, const Plan& plan) {
    emit_only(variant, plan);
    print_emitted(plan, plan.events);
}

void count(const std::string& directory) {
    TraceCount found = count_events(directory);
    fmt::print("{{\"streams\": {}, \"events\": {}, \"out_of_order\": {}}}\n", found.streams, found.events,
               found.out_of_order);
}

const Variant& find(std::span<const Variant> variants, const std::string& name) {
    for (const Variant& variant : variants)
        if (name == variant.name) return variant;
    throw UsageError("unknown variant '" + name + "', see --help");
}

constexpr OptionRow rows[] = {
    {"threads", "", "N", "", "Threads, pinned to one CPU each.", "1"},
    {"slices", "", "N", "", "Slices that are measured.", "1"},
    {"events", "", "N", "", "Events of a thread in one slice.", "1000000"},
    {"loop", "", "tight|work", "", "The loop of rate.", "tight"},
};

Cli command_line(const char* tool, std::span<const Variant> variants) {
    Cli cli;
    cli.manual.program = tool;
    cli.manual.usage = "writer-bench {rate|latency|total} VARIANT [OPTIONS] | count DIR";
    cli.manual.description = R"(Commands:

- `rate`: CPU and wall ns per event, one line of JSON per slice, next to those of storing as many bytes (tight) or of
  the work alone (work)
- `latency`: quantiles in ns of single events, and of storing as many bytes
- `total`: only emits: for what measures whole processes
- `count`: how many events of the other commands are in a trace

The trace goes where OVNI_TRACEDIR says.)";
    cli.manual.options = {std::begin(rows), std::end(rows)};
    cli.manual.lists = "Variants:";
    for (const Variant& variant : variants) cli.manual.lists += std::string(" ") + variant.name;
    return cli;
}

int run(const char* tool, std::span<const Variant> variants, int argc, char** argv) {
    Cli cli = command_line(tool, variants);
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    if (cli.words.size() != 2) throw UsageError("a command and its object are needed, see --help");
    Plan plan{cli.get<unsigned>("threads"), cli.get<unsigned>("slices"), cli.get<uint64_t>("events")};
    if (plan.threads == 0 || plan.slices == 0) throw UsageError("threads and slices: at least 1");
    const std::string &command = cli.words[0], &object = cli.words[1];
    if (command == "rate")
        rate(find(variants, object), plan, cli.get("loop"));
    else if (command == "latency")
        latency(find(variants, object), plan);
    else if (command == "total")
        total(find(variants, object), plan);
    else if (command == "count")
        count(object);
    else
        throw UsageError("unknown command '" + command + "'");
    return 0;
}

}  // namespace

int run_writer_bench(const char* tool, std::span<const Variant> variants, int argc, char** argv) {
    return run_main(tool, [&] { return run(tool, variants, argc, argv); });
}

}  // namespace ovni::bench
