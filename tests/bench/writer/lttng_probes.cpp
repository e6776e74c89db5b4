// writer-bench-lttng: two integers by LTTng-UST, where a session records writer_bench:pair. A program of its
// own, because the library starts threads in every process that has it.
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tests/bench/writer/command_line.hpp"
#include "tests/bench/writer/floors.hpp"
#include "tests/bench/writer/lttng_events.h"

namespace ovni::bench {

namespace {

struct TwoIntegers : NoProbe {
    void operator()(uint64_t number) {
        lttng_ust_tracepoint(writer_bench, pair, static_cast<int>(number), 1);
    }
};

constexpr Variant variants[] = {{"lttng", 12, loops_of<TwoIntegers>}};

}  // namespace

}  // namespace ovni::bench

int main(int argc, char** argv) {
    return ovni::bench::run_writer_bench("writer-bench-lttng", ovni::bench::variants, argc, argv);
}
