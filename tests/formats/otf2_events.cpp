// Events of an OTF2 archive, one by one, of traces whose events are known.
#include <sstream>

#include "tests/formats/formats.hpp"
#include "tests/mpi/emulator_test.hpp"

namespace ovni::test {
namespace {

class Otf2Events : public DistributedTest {
 protected:
    void SetUp() override {
        if (const std::string missing = what_is_missing(format_); !missing.empty()) GTEST_SKIP() << missing;
    }
    StreamBuilder& rank(int number) {
        StreamBuilder& stream = trace_.thread({.loom = "node0.a",
                                               .pid = number + 1,
                                               .tid = number + 1,
                                               .rank = number,
                                               .nranks = 2,
                                               .cpus = {{0, 0}, {1, 1}},
                                               .require = {{"ovni", "1.1.0"}, {"mpi", "1.1.0"}}});
        return stream.set("ovni.run", "a-run").starts(0, number).event("MUi", 2).event("MUI", 3);
    }
    // The events of the first location without regions, as otf2-print shows them, a line for each.
    std::vector<std::string> events_of_first() {
        const fs::path archive = output("out") / format_.file;
        fs::create_directories(output("out"));
        const Finished done = serial(trace_.write(), output("out"), {format_.option(), archive.string()});
        EXPECT_EQ(done.status, 0) << done.err;
        const Finished printed = run({"otf2-print", "-L", "0", (archive / "traces.otf2").string()});
        EXPECT_EQ(printed.status, 0) << printed.err;
        std::istringstream lines(printed.out);
        std::vector<std::string> events;
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string kind, rest;
            int64_t location = 0, time = 0;
            if (!(words >> kind >> location >> time) || kind == "ENTER" || kind == "LEAVE") continue;
            const auto request = line.find("Request: ");
            if (request != line.npos) rest = " " + line.substr(request + 9, 1);
            events.push_back(kind + " " + std::to_string(time) + rest);
        }
        return events;
    }

 private:
    const Format format_ = formats[1];
};

TEST_F(Otf2Events, SendsSayWhichRequestIsCompleteWhere) {
    // Two by MPI_Isend, of which the second ends first; one that blocks; one that is never complete.
    rank(0)
        .event("Ms[", 100, {1, 7, u32(1), u32(41)})
        .event("Ms]", 110, {u64(8), 1, 7})
        .event("Ms[", 120, {1, 8, u32(1), u32(42)})
        .event("Ms]", 130, {u64(8), 1, 8})
        .event("MW[", 140, {u32(42)})
        .event("MXc", 150, {u32(42), u32(0)})
        .event("MW]", 150)
        .event("MS[", 160, {1, 9, u32(1), u32(0)})
        .event("MS]", 170, {u64(8), 1, 9})
        .event("MW[", 180, {u32(41)})
        .event("MXc", 190, {u32(41), u32(0)})
        .event("MW]", 190)
        .event("Ms[", 200, {1, 10, u32(1), u32(43)})
        .event("Ms]", 210, {u64(8), 1, 10})
        .ends(400);
    StreamBuilder& receiver = rank(1);
    for (int tag : {7, 8, 9, 10})
        receiver.event("MR[", 200 + tag * 10, {0, tag, u32(1), u32(0)})
            .event("MR]", 205 + tag * 10, {u64(8), 0, tag});
    receiver.ends(400);
    EXPECT_THAT(events_of_first(),
                testing::ElementsAre("MPI_ISEND 100 1", "MPI_ISEND 120 2", "MPI_ISEND_COMPLETE 150 2",
                                     "MPI_SEND 160", "MPI_ISEND_COMPLETE 190 1", "MPI_ISEND 200 3"));
}

}  // namespace
}  // namespace ovni::test
