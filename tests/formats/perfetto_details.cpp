// A Perfetto trace: more than the Paraver files have, and no short slices on request.
#include "tests/formats/formats.hpp"
#include "tests/mpi/emulator_test.hpp"

namespace ovni::test {
namespace {

class PerfettoDetails : public DistributedTest {
 protected:
    void SetUp() override {
        if (const std::string missing = what_is_missing(format_); !missing.empty()) GTEST_SKIP() << missing;
    }
    // The trace from one process, and from 2 ranks. Returns what the emulators print.
    std::string emulated(std::vector<std::string> options = {}) {
        const fs::path directory = trace_.write();
        std::string printed;
        options.insert(options.end(), {format_.option(), ""});
        for (int ranks : {0, 2}) {
            const fs::path out = output("out" + std::to_string(ranks));
            fs::create_directories(out);
            options.back() = (out / format_.file).string();
            const Finished done = ranks == 0
                                      ? serial(directory, out, options)
                                      : distributed(ranks, directory, out, options,
                                                    {"OVNI_TEST_WINDOW=" + std::to_string(ranks * 50)});
            EXPECT_EQ(done.status, 0) << done.err;
            expect_equal_bytes(output("out0") / format_.file, out / format_.file);
            printed += done.err;
        }
        return printed;
    }
    std::string checked(const std::string& shortest = "0") {
        const Finished done =
            run({"/usr/bin/python3", "-B", SOURCE_DIR "/tests/formats/" + format_.checker,
                 (output("out0") / format_.file).string(), output("out0").string(), shortest});
        EXPECT_EQ(done.status, 0) << done.out << done.err;
        return done.out;
    }
    StreamBuilder& rank(int number) {
        StreamBuilder& stream = trace_.thread({.loom = "node" + std::to_string(number) + ".a",
                                               .pid = number + 1,
                                               .tid = number + 1,
                                               .rank = number,
                                               .nranks = 2,
                                               .require = {{"ovni", "1.1.0"}, {"mpi", "1.1.0"}}});
        return stream.set("ovni.run", "a-run").starts(1).event("MUi", 2).event("MUI", 3);
    }

 private:
    const Format format_ = formats[0];
};

TEST_F(PerfettoDetails, ShortSlicesAreLeftOutAndCounted) {
    constexpr int sends = 200;
    StreamBuilder &sender = rank(0), &receiver = rank(1);
    for (int i = 0; i < sends; ++i) {
        // 10, 20 and 30 ns.
        const int64_t clock = 1000 + 100 * i, length = 10 * (1 + i % 3);
        sender.event("MS[", clock, {1, 7, u32(1), u32(0)}).event("MS]", clock + length, {u64(8), 1, 7});
        receiver.event("MR[", clock + 1, {0, 7, u32(1), u32(0)}).event("MR]", clock + 61, {u64(8), 0, 7});
    }
    for (StreamBuilder* stream : {&sender, &receiver})
        stream->event("MUf", 50'000).event("MUF", 50'001).ends(50'002);
    const std::string printed = emulated({"--min-duration", "20ns"});
    // MPI_Init and MPI_Finalize of both ranks last 1 ns, 67 sends 10 ns, and the waits of all sends 1 ns.
    // Both threads are dead for no time, which Paraver does not show.
    EXPECT_THAT(printed, HasSubstr(": 273 slices shorter than 20 ns are left out (--min-duration)"));
    EXPECT_THAT(checked("20"), HasSubstr(" messages=200 short=271 "));
}

TEST_F(PerfettoDetails, DurationsNeedAnOutputThatTakesThem) {
    rank(0).ends(100);
    const Finished done = serial(trace_.write(), output("out"), {"--min-duration", "20ns"});
    EXPECT_EQ(done.status, 2);
    EXPECT_THAT(done.err, HasSubstr("--min-duration needs --perfetto"));
}

TEST_F(PerfettoDetails, EndsWithoutAPartnerAreThereWithTheCause) {
    rank(0)
        .event("MS[", 100, {1, 7, u32(1), u32(0)})
        .event("MS]", 110, {u64(8), 1, 7})
        .event("MS[", 200, {1, 9, u32(1), u32(0)})
        .event("MS]", 210, {u64(8), 1, 9})
        .event("MUf", 300)
        .event("MUF", 310)
        .ends(320);
    rank(1)
        .event("MR[", 100, {0, 7, u32(1), u32(0)})
        .event("MR]", 120, {u64(8), 0, 7})
        .event("MUf", 300)
        .event("MUF", 310)
        .ends(320);
    emulated();
    EXPECT_THAT(checked(), HasSubstr(" messages=1 "));
    EXPECT_THAT(checked(), HasSubstr(" unmatched_sends=1 causes_of_sends=never_received_or_sent "
                                     "unmatched_receives=0 "));
}

}  // namespace
}  // namespace ovni::test
