// A job that ovnictl talks to from outside while it runs.
#include <unistd.h>

#include <memory>

#include "tests/mpi/traced.hpp"
#include "tests/support/started.hpp"

namespace ovni::test {

class OutsideJob : public TracedTest {
 protected:
    static constexpr int ranks = 4;

    void start_job(const Words& options) { start({"mpirun", "-q", "-n", std::to_string(ranks)}, options); }
    void start(const Words& launcher, const Words& options) {
        prepare_for_mpirun();
        std::filesystem::create_directory(path("run"));
        Words words{program("ovnirun"), "-o", trace_directory(), "--run-dir", path("run")};
        job_ = std::make_unique<Started>(launcher + words + options + Words{app("controlled_job")});
        barriers(1);
    }
    void barriers(int count) {
        job_->write(std::to_string(count) + "\n");
        job_->read_until("done\n");
    }
    Finished ovnictl(const Words& words) const { return run(Words{program("ovnictl"), path("run")} + words); }
    void expect_ok(const Words& words) const {
        Finished done = ovnictl(words);
        EXPECT_EQ(done.status, 0) << done.out << done.err;
        EXPECT_EQ(std::ranges::count(done.out, '\n'), ranks) << done.out;
        for (int rank = 0; rank < ranks; ++rank)
            EXPECT_NE(done.out.find("rank " + std::to_string(rank) + ": ok"), std::string::npos) << done.out;
    }
    void end_job() {
        job_->close_input();
        EXPECT_EQ(job_->wait(), 0);
    }
    // Each rank has that many barriers.
    void expect_barriers(int count) const {
        Trace trace = this->trace();
        ASSERT_EQ(trace.streams().size(), size_t{ranks});
        for (uint32_t rank = 0; rank < ranks; ++rank)
            EXPECT_EQ(counts_of(trace, rank)["MCb"], count) << story_of(trace, rank);
    }

 private:
    std::unique_ptr<Started> job_;
};

TEST_F(OutsideJob, StopsAndStarts) {
    start_job({"--control", "stop:interactive"});
    barriers(4);
    expect_ok({"stop"});
    Finished status = ovnictl({"status"});
    EXPECT_NE(status.out.find("rank 3: ok recording=off"), std::string::npos) << status.out;
    barriers(100);
    expect_ok({"start"});
    barriers(10);
    end_job();
    expect_barriers(15);
    expect_emulates();
}

TEST_F(OutsideJob, FiresInSomeRanksOnly) {
    // MPI has threads of its own, which go through the chain, too.
    start_job({"--control", "start:interactive:bcast,stop:interactive:bcast"});
    barriers(10);
    expect_ok({"fire"});
    barriers(20);
    EXPECT_EQ(ovnictl({"--rank", "1,3", "fire"}).status, 0);
    barriers(40);
    end_job();
    Trace trace = this->trace();
    ASSERT_EQ(trace.streams().size(), size_t{ranks});
    for (uint32_t stream = 0; stream < ranks; ++stream) {
        int rank = trace.streams()[stream].metadata.process->rank.value_or(-1);
        EXPECT_EQ(counts_of(trace, stream)["MCb"], rank % 2 == 1 ? 20 : 60) << rank;
    }
    expect_emulates();
}

// Open MPI starts a daemon for such a program, which inherits the tracer.
TEST_F(OutsideJob, AProgramWithoutMpirunIsRankZeroAndAlone) {
    start({}, {"--control", "start:interactive,stop:interactive", "--control-ranks", "0"});
    Finished status = ovnictl({"status"});
    EXPECT_EQ(std::ranges::count(status.out, '\n'), 1) << status.out;
    EXPECT_NE(status.out.find("rank 0: ok recording=off"), std::string::npos) << status.out;
    EXPECT_EQ(ovnictl({"fire"}).status, 0);
    barriers(5);
    end_job();
    Trace trace = this->trace();
    ASSERT_EQ(trace.streams().size(), 1u);
    EXPECT_EQ(counts_of(trace, 0)["MCb"], 5);
}

TEST_F(OutsideJob, AProgramWithoutMpirunIsNoOtherRank) {
    start({}, {"--control", "start:interactive,stop:interactive", "--control-ranks", "1-3"});
    EXPECT_EQ(ovnictl({"status"}).status, 1);
    barriers(5);
    end_job();
    EXPECT_EQ(counts_of(trace(), 0)["MCb"], 6);
}

TEST_F(OutsideJob, FlushWritesWhatFlightRecordersKeep) {
    start_job({"--control", "stop:interactive", "--flight", "1M"});
    barriers(20);
    expect_ok({"flush"});
    auto are_written = [&] {
        if (!std::filesystem::exists(trace_directory())) return false;
        Finished dump = run({program("ovnidump"), trace_directory()});
        size_t found = 0;
        for (size_t at = 0; (at = dump.out.find("MCb", at)) != dump.out.npos; ++at) ++found;
        return found >= size_t{21} * ranks;
    };
    for (int i = 0; i < 2000 && !are_written(); ++i) ::usleep(10'000);
    EXPECT_TRUE(are_written());
    end_job();
    expect_barriers(21);
}

}  // namespace ovni::test
