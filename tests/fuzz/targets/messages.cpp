// Two files stream.obs, of two ranks of one job: their messages, waits, efficiencies and critical path, and
// what mpi.prv takes from them.
#include "messages/analysis.hpp"
#include "messages/plan/stream_calls.hpp"
#include "tests/fuzz/one_stream.hpp"

namespace ovni::fuzz {

namespace {

std::string metadata_of(int rank) {
    const std::string number = std::to_string(rank), tid = std::to_string(rank + 1);
    return R"({"version": 3, "ovni": {"lib": {"version": "1.14.0", "commit": "none"}, "part": "thread", "tid": )" +
           tid + R"(, "pid": )" + tid + R"(, "loom": "node)" + number + R"(.1", "app_id": 1, "rank": )" +
           number +
           R"(, "nranks": 2, "loom_cpus": [{"index": 0, "phyid": 0}], "finished": 1,
           "require": {"ovni": "1.1.0", "mpi": "1.0.0"}}})";
}

void check(const TrafficAnalysis& all, size_t streams) {
    require(all.messages.size() == all.summary.matched);
    for (const Message& message : all.messages.all())
        require(message.send_stream < streams && message.receive_stream < streams);
    for (const Wait& wait : all.waits) require(wait.begin <= wait.end && wait.stream < streams);
}

void analyse(const Trace& trace) {
    System system(trace);
    const OpenStream open = [&](uint32_t stream) { return trace.reader(stream, 0, ClockOrder::checked); };
    const ClockModel clocks = ClockModel::of_trace(trace, {});
    const ScannedPart all = ScannedPart::all_processes(system, 1);
    const ScanFor everything{true, true, true, true};
    Scanned scanned = scan(trace, system, all, everything, open);
    const FoundPlan found = find_mpi_plan(Ranks(), trace, system, scanned, 0);
    for (const auto& [stream, recorded] : scanned.timeline.calls) {
        StreamCalls::CallingThread thread;
        thread.process = system.process_of_stream(stream);
        thread.communicators = &found.communicators;
        size_t count = 0;
        for (StreamCalls calls(recorded, thread); calls.next(); calls.pop()) ++count;
        require(count == recorded.size());
    }
    check(analyse_traffic(Ranks(), trace, system, clocks, all.processes, scanned, 1, Analysis::whole),
          trace.streams().size());
}

}  // namespace

void take(std::string_view input) {
    static const TraceInMemory files;
    const std::vector<std::string_view> streams = files_of(input, 2);
    for (int rank : {0, 1}) {
        const std::string directory = rank == 0 ? "a/" : "b/";
        files.put(directory + "stream.json", metadata_of(rank));
        files.put(directory + "stream.obs", static_cast<size_t>(rank) < streams.size()
                                                ? streams[static_cast<size_t>(rank)]
                                                : no_events);
    }
    ends([] { analyse(Trace::open(files.path())); });
}

}  // namespace ovni::fuzz
