// sinks TRACE DIRECTORY ROUNDS: emulates the trace into memory, then brings all records to each output in
// turn, into DIRECTORY. Prints a line for each: output, round, seconds of wall time, of CPU, bytes written.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/log.hpp"
#include "emu/emulator.hpp"
#include "emu/plan/start.hpp"
#include "sink/columns/columns_sink.hpp"
#include "sink/paraver/prv_sink.hpp"
#include "trace/clock_model.hpp"
#include "trace/merger.hpp"

namespace ovni::bench {

namespace {

namespace fs = std::filesystem;

// All records of a trace, and what sinks must know of it.
struct Emulated {
    explicit Emulated(const fs::path& path)
        : trace(Trace::open(path)),
          system(trace),
          plan(make_plan(trace, system, EnabledModels::required, Breakdowns::no)) {
        ClockModel clocks;
        std::vector<StreamReader> readers;
        std::vector<int64_t> first;
        for (uint32_t s = 0; s < trace.streams().size(); ++s) {
            readers.push_back(open_stream(trace, clocks, s));
            first.push_back(readers.back().first_clock().value_or(no_clock));
        }
        Merger merger(std::move(readers), EventOrder::canonical);
        Emulator emulator(trace, system, plan, Strictness::tolerant, time_origin(trace, first),
                          Share::whole(system));
        while (const EventView* event = merger.next()) emulator.apply(*event);
        emulator.tracker().queue().take_before(RecordQueue::everything, records);
        duration = emulator.now();
    }

    Trace trace;
    System system;
    Plan plan;
    RecordBuffer records;
    int64_t duration = 0;
};

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

uintmax_t bytes_in(const fs::path& directory) {
    uintmax_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(directory)) bytes += entry.file_size();
    return bytes;
}

void measure(const char* name, int round, const Emulated& emulated, Sink& sink, const fs::path& directory) {
    constexpr size_t batch = size_t{8} << 10;
    auto wall = std::chrono::steady_clock::now();
    double cpu = cpu_seconds();
    const Ranks alone;
    sink.begin(alone, emulated.plan);
    std::span<const Record> left(emulated.records.data(), emulated.records.size());
    for (; !left.empty(); left = left.subspan(std::min(batch, left.size()))) {
        Slice slice{left.first(std::min(batch, left.size())), {}};
        sink.share(slice);
        sink.write(slice);
    }
    sink.end({emulated.plan.schema, emulated.duration, Ending::complete, Facts(), TrafficRows(),
              nlohmann::ordered_json()});
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - wall;
    fmt::print("{} {} {:.6f} {:.6f} {}\n", name, round, seconds.count(), cpu_seconds() - cpu,
               bytes_in(directory));
}

int compare(const fs::path& trace, const fs::path& directory, int rounds) {
    log::print_from(log::Level::error);
    Emulated emulated(trace);
    fmt::print("records 0 0 0 {}\n", emulated.records.size());
    for (int round = 0; round < rounds; ++round) {
        auto fresh = [&](const char* name) {
            fs::path path = directory / name;
            fs::remove_all(path);
            fs::create_directories(path);
            return path;
        };
        fs::path path = fresh("prv");
        PrvSink prv(path);
        measure("prv", round, emulated, prv, path);
        fs::remove_all(path);
        path = fresh("columns");
        ColumnsSink columns(path / "x.h5");
        measure("columns", round, emulated, columns, path);
        fs::remove_all(path);
    }
    return 0;
}

}  // namespace

}  // namespace ovni::bench

int main(int argc, char** argv) {
    return ovni::run_main("sinks", [&] {
        if (argc != 4) throw ovni::UsageError("usage: sinks TRACE DIRECTORY ROUNDS");
        return ovni::bench::compare(argv[1], argv[2], std::atoi(argv[3]));
    });
}
