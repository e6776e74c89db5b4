// Collectives on both sides of pauses in recording, next to what the program that makes them knows of each.
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include "messages/scan/scan.hpp"
#include "messages/waits/visit_collectives.hpp"
#include "tests/mpi/traced.hpp"

namespace ovni::test {
namespace {

class CollectivesOfPauses : public TracedTest {
 protected:
    struct Call {
        int64_t number = 0, begin = 0, end = 0;
        bool recorded = false;
    };

    CollectivesOfPauses() {
        prepare_for_mpirun();
        std::filesystem::current_path(path(""));
    }
    ~CollectivesOfPauses() override { std::filesystem::current_path(before_); }

    void run_switched(int ranks, const Words& arguments, const Words& options = {}) {
        std::filesystem::remove_all(trace_directory());
        books_.assign(static_cast<size_t>(ranks), {});
        Finished done = traced(ranks, Words{app("switched_collectives")} + arguments, options);
        ASSERT_EQ(done.status, 0) << done.err;
        for (int rank = 0; rank < ranks; ++rank) {
            std::ifstream lines(path("known." + std::to_string(rank)));
            Call call;
            for (int recorded = 0; lines >> call.number >> call.begin >> call.end >> recorded;) {
                call.recorded = recorded == 1;
                books_[static_cast<size_t>(rank)].push_back(call);
            }
        }
    }
    // 0: the program says nothing of it.
    int64_t number_of(const Trace& trace, const CollectiveEnd& end) const {
        const auto rank = static_cast<size_t>(*trace.streams()[end.stream].metadata.process->rank);
        for (const Call& call : books_[rank])
            if (call.begin <= end.enter && end.enter <= call.end) return call.number;
        return 0;
    }
    std::map<int64_t, size_t> recorded_by() const {
        std::map<int64_t, size_t> members;
        for (const auto& book : books_)
            for (const Call& call : book)
                if (call.recorded) ++members[call.number];
        return members;
    }
    // How many members the trace puts together, by number.
    std::map<int64_t, size_t> put_together() const {
        const Trace trace = this->trace();
        const System system(trace);
        const Scanned all = scan(trace, system, ScannedPart::all_processes(system, 2), {.messages = true},
                                 [&](uint32_t s) { return trace.reader(s, 0, ClockOrder::checked); });
        std::map<decltype(collective_of(CollectiveEnd())), std::vector<CollectiveEnd>> groups;
        for (const MessageEnds& of_group : all.ends)
            for (const CollectiveEnd& end : of_group.collectives) {
                EXPECT_EQ(end.behind_gap, 0u);
                groups[collective_of(end)].push_back(end);
            }
        std::map<int64_t, size_t> found;
        for (const auto& [collective, members] : groups) {
            std::set<int64_t> numbers;
            for (const CollectiveEnd& member : members) numbers.insert(number_of(trace, member));
            EXPECT_THAT(numbers, testing::SizeIs(1))
                << "communicator " << std::get<0>(collective) << ", turn " << std::get<3>(collective);
            if (*numbers.begin() == 0) continue;
            EXPECT_TRUE(found.emplace(*numbers.begin(), members.size()).second) << *numbers.begin();
        }
        return found;
    }

    std::vector<std::vector<Call>> books_;

 private:
    const std::filesystem::path before_ = std::filesystem::current_path();
};

TEST_F(CollectivesOfPauses, CollectivesAreThoseThatTheProgramKnows) {
    for (int seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        run_switched(4, {std::to_string(seed), "120"});
        EXPECT_EQ(put_together(), recorded_by());
    }
}

// Recording starts and stops in collectives.
TEST_F(CollectivesOfPauses, CollectivesAreTogetherWhereChainsRecord) {
    for (const char* chain :
         {"start:mpi:Barrier:count3", "start:mpi:Bcast:count2,stop:mpi:Allreduce:count3,repeat",
          "start:mpi:Win_fence,stop:mpi:Iallreduce,repeat"}) {
        SCOPED_TRACE(chain);
        run_switched(4, {"3", "120", "chains"}, {"--control", chain});
        EXPECT_GT(put_together().size(), 5u);
    }
}

}  // namespace
}  // namespace ovni::test
