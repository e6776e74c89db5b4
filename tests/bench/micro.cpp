// Micro benchmarks of the hot paths: decoding, merging, formatting, checksums. Time per item is time per
// event or line.
#include <benchmark/benchmark.h>

#include "core/crc32c.hpp"
#include "sink/paraver/prv_text.hpp"
#include "tests/bench/trace_generator.hpp"
#include "tests/support/temporary_directory.hpp"
#include "trace/merger.hpp"
#include "trace/trace.hpp"

namespace ovni::bench {

namespace {

// A trace with that many streams, in looms of at most 64 threads, as long as the object lives.
class GeneratedTrace {
 public:
    GeneratedTrace(int64_t streams, uint64_t events) {
        TraceShape shape;
        shape.threads = static_cast<uint32_t>(std::min<int64_t>(streams, 64));
        shape.looms = static_cast<uint32_t>(streams / shape.threads);
        shape.events = events;
        shape.activities = {find_activity("ovni"), find_activity("mpi"), find_activity("nosv")};
        generate(shape, directory_.path() / "ovni");
    }
    Trace open() const { return Trace::open(directory_.path() / "ovni", Metadata::version_only); }

 private:
    test::TemporaryDirectory directory_;
};

constexpr uint64_t events = 1'000'000;

void decode_one_by_one(benchmark::State& state) {
    GeneratedTrace generated(1, events);
    Trace trace = generated.open();
    while (state.KeepRunning()) {
        StreamReader reader = trace.reader(0, 0, ClockOrder::checked);
        while (reader.next()) benchmark::DoNotOptimize(reader.event());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(events));
}
BENCHMARK(decode_one_by_one);

void decode_in_batches(benchmark::State& state) {
    GeneratedTrace generated(1, events);
    Trace trace = generated.open();
    while (state.KeepRunning()) {
        StreamReader reader = trace.reader(0, 0, ClockOrder::checked);
        int64_t sum = 0;
        if (reader.next())
            reader.take(INT64_MAX, SIZE_MAX, UINT64_MAX,
                        [&](int64_t clock, uint64_t, const uint8_t*) { sum += clock; });
        benchmark::DoNotOptimize(sum);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(events));
}
BENCHMARK(decode_in_batches);

void merge(benchmark::State& state) {
    GeneratedTrace generated(state.range(0), 4 * events);
    Trace trace = generated.open();
    int64_t merged = 0;
    while (state.KeepRunning()) {
        state.PauseTiming();
        Merger merger(trace.readers(ClockOrder::checked));
        state.ResumeTiming();
        while (const EventView* event = merger.next()) {
            benchmark::DoNotOptimize(event->clock);
            ++merged;
        }
    }
    state.SetItemsProcessed(merged);
}
BENCHMARK(merge)->Arg(32)->Arg(512)->Arg(2048)->Unit(benchmark::kMillisecond);

void format_lines(benchmark::State& state) {
    auto rows = static_cast<uint32_t>(state.range(0));
    std::vector<Record> records(16384);
    for (size_t i = 0; i < records.size(); ++i) {
        records[i].time = 1'000'000'000 + static_cast<int64_t>(i) * 31;
        records[i].value = static_cast<int64_t>(i % 30);
        records[i].thread_row = static_cast<uint32_t>(i * 7919 % rows);
        records[i].type = i % 3 == 0 ? 25 : 101;
    }
    PrvText text(TraceFile::thread, rows);
    std::vector<char> room(records.size() * PrvText::slack);
    while (state.KeepRunning()) benchmark::DoNotOptimize(text.format(records, room));
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(records.size()));
}
BENCHMARK(format_lines)->Arg(32)->Arg(2048);

using Checksum = uint32_t (*)(uint32_t, const uint8_t*, size_t) noexcept;

void checksum(benchmark::State& state, Checksum sum) {
    std::vector<uint8_t> bytes(static_cast<size_t>(state.range(0)), 0x5a);
    uint32_t crc = 0;
    while (state.KeepRunning()) benchmark::DoNotOptimize(crc = sum(crc, bytes.data(), bytes.size()));
    state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(checksum, instruction, crc32c_detail::by_instruction)
    ->Arg(64)
    ->Arg(1 << 10)
    ->Arg(64 << 10)
    ->Arg(1 << 20);
BENCHMARK_CAPTURE(checksum, tables, crc32c_detail::by_tables)->Arg(64)->Arg(64 << 10);

}  // namespace

}  // namespace ovni::bench

BENCHMARK_MAIN();
