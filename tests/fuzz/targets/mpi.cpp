// A file stream.obs of one rank, for what its events of MPI say: details of calls, sums, communicators, and
// calls that are open at its end with what they wait for.
#include "messages/stuck/waiting.hpp"
#include "model/mpi_details.hpp"
#include "model/mpi_sums.hpp"
#include "session/check/open_calls_at_end.hpp"
#include "tests/fuzz/one_stream.hpp"

namespace ovni::fuzz {

namespace {

StreamReader open_stream(const Trace& trace, uint32_t stream) {
    return trace.reader(stream, 0, ClockOrder::any);
}

void describe(const EventView& event) {
    const std::span<const uint8_t> payload = event.payload();
    if (event.jumbo()) {
        mpi_communicator(payload.subspan(OVNI_FORMAT_JUMBO_SIZE));
        return;
    }
    describe_mpi_details(event.code, payload);
    // The payload as if it were shorter.
    for (size_t size = 0; size < payload.size(); ++size) mpi_details(event.code, payload.first(size));
}

void sum_up(const Trace& trace) {
    ProcessInMpi process;
    ThreadInMpi thread(process);
    int64_t clock = 0;
    ends([&] {
        for (StreamReader reader = open_stream(trace, 0); reader.next();) {
            const EventView& event = reader.event();
            if (event.kind != EventView::Kind::event) continue;
            clock = event.clock;
            describe(event);
            thread.take(event.code, event.jumbo() ? std::span<const uint8_t>() : event.payload(), clock);
        }
    });
    thread.close(clock);
    process.sums();
}

void find_open_calls(const Trace& trace) {
    System system(trace);
    const Scanned scanned = scan(trace, system, ScannedPart::all_processes(system, 1), {.open_calls = true},
                                 [&](uint32_t stream) { return open_stream(trace, stream); });
    const Waiting waiting = find_waiting(Ranks(), trace, system, scanned);
    constexpr size_t most = 10;
    sentences(waiting, system, 0, most);
}

}  // namespace

void take(std::string_view input) {
    static const TraceInMemory files;
    files.put("stream.json", rich_metadata);
    files.put("stream.obs", input);
    ends([] {
        Trace trace = Trace::open(files.path());
        sum_up(trace);
        find_open_calls(trace);
    });
}

}  // namespace ovni::fuzz
