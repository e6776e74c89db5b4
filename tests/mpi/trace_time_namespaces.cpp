// Ranks of one host in different time namespaces: their clocks differ, the times of the trace do not.
#include <gmock/gmock.h>

#include <fstream>
#include <set>

#include "tests/mpi/traced.hpp"

namespace ovni::test {

class TimeNamespaces : public TracedTest {
 protected:
    void SetUp() override {
        const Finished probe = run({"unshare", "-T", "--monotonic", "500", "--boottime", "500", "true"});
        if (probe.status != 0) GTEST_SKIP() << "time namespaces cannot be made here: " << probe.err;
        // The rank is 1 with either launcher.
        std::ofstream(path("apart")) << "#!/bin/sh\n"
                                        "[ \"$OMPI_COMM_WORLD_RANK$PMI_RANK\" = 1 ] || exec \"$@\"\n"
                                        "exec unshare -T --monotonic 500 --boottime 500 \"$@\"\n";
        std::filesystem::permissions(path("apart"), std::filesystem::perms::owner_all);
    }
    // The emulated run is as long as the real one, and every message takes a part of it. Ranks that share a
    // CPU by samples would make warnings.
    void expect_times_of_one_clock() {
        const Trace trace = this->trace();
        std::set<int64_t> offsets;
        for (const Stream& stream : trace.streams()) offsets.insert(stream.metadata.process->time_offset);
        Finished emulated = run({program("ovniemu"), "--mpi-prv", trace_directory()});
        ASSERT_EQ(emulated.status, 0) << emulated.err;
        EXPECT_THAT(emulated.err, testing::Not(testing::HasSubstr("WARN")));
        std::ifstream file(trace_directory() + "/thread.prv");
        std::string header;
        std::getline(file, header);
        const size_t duration = header.find("):") + 2;
        EXPECT_LT(std::stoull(header.substr(duration)), 100'000'000'000) << header;
        const Finished messages = run({program("ovnitop"), "--messages", trace_directory()});
        EXPECT_THAT(messages.out, testing::Not(testing::HasSubstr("without")));
        offsets_ = offsets;
    }
    std::set<int64_t> offsets_;  // of streams, ns
};

constexpr int64_t ahead = 500'000'000'000;

TEST_F(TimeNamespaces, OvnirunMayBeInside) {
    const Finished done = mpirun(2, {path("apart"), program("ovnirun"), "--cpu", "virtual", "-o",
                                     trace_directory(), app("rounds"), "20"});
    ASSERT_EQ(done.status, 0) << done.err;
    ASSERT_EQ(streams().size(), 2u);
    expect_times_of_one_clock();
    EXPECT_EQ(offsets_, (std::set<int64_t>{0, ahead}));
}

// The clock of events is that of ovnirun.
TEST_F(TimeNamespaces, OvnirunMayBeOutside) {
    const Finished done = traced(2, {path("apart"), app("rounds"), "20"}, {"--cpu", "virtual"});
    ASSERT_EQ(done.status, 0) << done.err;
    std::set<int> ranks;
    for (const Stream& stream : streams()) ranks.insert(stream.metadata.process->rank.value_or(-1));
    EXPECT_TRUE(ranks.contains(0) && ranks.contains(1));
    expect_times_of_one_clock();
    EXPECT_EQ(offsets_, std::set<int64_t>{0});
}

}  // namespace ovni::test
