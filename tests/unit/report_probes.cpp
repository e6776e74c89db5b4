// Waits of probes in traces where recording pauses.
#include "tests/unit/report_test.hpp"

namespace ovni::test {

namespace {

using testing::ElementsAre;

class ProbeWaitsTest : public ReportTest {
 protected:
    StreamBuilder& rank(int number) {
        StreamBuilder& stream = trace_.thread({.loom = "a.x",
                                               .pid = 10 + number,
                                               .tid = 10 + number,
                                               .rank = number,
                                               .nranks = 2,
                                               .require = {{"ovni", "1.1.0"}, {"mpi", "1.3.0"}}});
        stream.set("ovni.run", "job");
        return stream.starts(1000).event("MUi", 1100).event("MUI", 2000);
    }
    static void end(StreamBuilder& stream) { stream.event("MUf", 8000).event("MUF", 9000).ends(9500); }
    static void send(StreamBuilder& stream, int64_t enter) {
        stream.event("MS[", enter, {0, 7, 1, 0}).event("MS]", enter + 10, {u64(4), 0, 7});
    }
    static void probe(StreamBuilder& stream, int64_t enter, int64_t leave) {
        stream.event("MX[", enter, {u16(16), 1, 7, 1}).event("MX]", leave, {u16(16), 1, 7, 0});
    }
    static void receive(StreamBuilder& stream, int64_t enter, int64_t leave) {
        stream.event("MR[", enter, {1, 7, 1, 0}).event("MR]", leave, {u64(4), 1, 7});
    }
    // "function from-to" of waits for messages, by the clocks of the streams.
    std::vector<std::string> waits() {
        const Finished done = emulate();
        EXPECT_EQ(done.status, 0) << done.err;
        std::vector<std::string> all;
        const Json report = Json::parse(read_file(file()));
        for (const Json& wait : report["waits"]["longest"])
            if (wait["wait"] == "Late sender")
                all.push_back(wait["function"].get<std::string>() + " " +
                              std::to_string(wait["from"].get<int64_t>() + 1000) + "-" +
                              std::to_string(wait["to"].get<int64_t>() + 1000));
        return all;
    }
};

TEST_F(ProbeWaitsTest, AProbeWaitsForTheMessageThatIsReceivedNext) {
    StreamBuilder &to = rank(0), &from = rank(1);
    probe(to, 2050, 2200);
    receive(to, 2300, 2400);
    send(from, 2150);
    end(to);
    end(from);
    EXPECT_THAT(waits(), ElementsAre("MPI_Probe 2050-2150"));
}

// The first message was received in the pause, which counts it.
TEST_F(ProbeWaitsTest, AProbeBeforeAPauseIsNoneForALaterMessage) {
    StreamBuilder &to = rank(0), &from = rank(1);
    probe(to, 2050, 2200);
    to.gap(2300, 3000, 0, "paused").jumbo("MXk", 3000, {1, 0, u64(1), 0, 1, 7, 0, 1});
    receive(to, 5000, 6100);
    send(from, 2150);
    send(from, 6000);
    end(to);
    end(from);
    EXPECT_THAT(waits(), ElementsAre("MPI_Recv 5000-6000"));
}

}  // namespace

}  // namespace ovni::test
