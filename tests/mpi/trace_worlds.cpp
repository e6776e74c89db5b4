// Several programs in one trace: those of one mpirun, and worlds that start others. One run, an application
// each, and communicators between worlds that both sides know by one id.
#include <set>

#include "model/mpi_details.hpp"
#include "ovni/format.h"
#include "ovni/mpi_events.h"
#include "tests/mpi/traced.hpp"

namespace ovni::test {

class Worlds : public TracedTest {
 protected:
    struct Messages {
        std::vector<uint64_t> sent, received;  // bytes
        std::set<int> applications;
    };

    Finished spawning(int ranks, const Words& words, const Words& options = {}) const {
        return TracedTest::spawning([&] {
            return mpirun(ranks,
                          spawn_limit + Words{program("ovnirun"), "-o", trace_directory()} + options + words);
        });
    }

    // Messages by id of communicator, only of those between worlds.
    static std::map<uint64_t, Messages> between_worlds(const Trace& trace) {
        std::map<uint64_t, Messages> all;
        for (uint32_t s = 0; s < trace.streams().size(); ++s) {
            std::map<uint32_t, MpiCommunicator> told;
            std::map<uint32_t, uint64_t> posted;  // ids by request
            MpiDetails entered;
            uint32_t ended = 0;
            for (StreamReader reader = trace.reader(s, 0, ClockOrder::checked); reader.next();) {
                const EventView& event = reader.event();
                if (event.kind != EventView::Kind::event) continue;
                if (event.code == OVNI_MPI_COMMUNICATOR) {
                    auto known = mpi_communicator(event.payload().subspan(OVNI_FORMAT_JUMBO_SIZE));
                    told[known->number] = *known;
                    EXPECT_EQ(known->flags & OVNI_MPI_FOREIGN, 0u) << known->id;
                    all[known->id].applications.insert(*trace.streams()[s].metadata.process->app_id);
                }
                MpiDetails details = mpi_details(event.code, event.payload());
                if (details.step == MpiDetails::Step::enter) entered = details;
                if (details.step == MpiDetails::Step::request_ended) ended = *details.request;
                bool sends = details.step == MpiDetails::Step::bytes;
                if (details.step == MpiDetails::Step::leave && entered.tag) {
                    std::string_view name = entered.function->name;
                    if (name == "MPI_Irecv") posted[*entered.request] = told.at(*entered.object).id;
                    sends = sends || name == "MPI_Send";
                    if (name == "MPI_Sendrecv_replace")
                        all[told.at(*entered.object).id].received.push_back(*details.bytes);
                }
                if (sends) all[told.at(*entered.object).id].sent.push_back(*details.bytes);
                if (details.step == MpiDetails::Step::message)
                    all[posted.at(ended)].received.push_back(*details.bytes);
            }
        }
        std::erase_if(all, [](const auto& one) { return one.second.applications.size() < 2; });
        return all;
    }

    void expect_one_trace(const Trace& trace, const std::map<int, int>& processes) const {
        std::map<int, int> found;
        std::set<std::string> runs;
        for (const Stream& stream : trace.streams()) {
            ++found[*stream.metadata.process->app_id];
            runs.insert(*stream.metadata.common->run);
        }
        EXPECT_EQ(found, processes);
        EXPECT_EQ(runs.size(), 1u);
        Finished emulated = run({program("ovniemu"), trace_directory()});
        EXPECT_EQ(emulated.status, 0) << emulated.err;
        EXPECT_EQ(emulated.err.find("have no stream"), std::string::npos) << emulated.err;
    }

    static void expect_letters(const std::map<uint64_t, Messages>& between, size_t communicators) {
        EXPECT_EQ(between.size(), communicators);
        for (const auto& [id, messages] : between) {
            EXPECT_FALSE(messages.sent.empty()) << id;
            EXPECT_EQ(messages.sent, messages.received) << id;
        }
    }
};

// The number of a world follows the applications of the first, further programs of one call 1000 behind.
TEST_F(Worlds, SpawnedWorldsBelongToTheTrace) {
    Finished done = spawning(2, {app("spawn")});
    ASSERT_EQ(done.status, 0) << done.err;
    Trace trace = this->trace();
    expect_one_trace(trace, {{1, 2}, {2, 2}, {3, 1}, {1003, 2}, {4, 1}, {1004, 2}});
    // The intercommunicator, its copy, the merged one; both parts of it after the first, and of the others
    // one that holds parent and children, and one with children only, of two programs.
    expect_letters(between_worlds(trace), 5 + 2 * 5);
    std::string text = run({program("ovnidump"), trace_directory()}).out;
    EXPECT_NE(text.find("end: MPI_Comm_spawn communicator="), std::string::npos);
    const std::string waits = run({program("ovnitop"), "--waits", trace_directory()}).out;
    EXPECT_NE(waits.find("rank 1.0"), std::string::npos) << "ranks of both worlds have names of their own\n"
                                                         << waits;
}

TEST_F(Worlds, WorldsSpawnedByCallsThatAreNotRecordedBelongToTheTrace) {
    for (const Words& options : {Words{"--mpi-events", "reference"}, Words{"--mpi-functions", "p2p"}}) {
        Finished done = spawning(1, {app("spawn")}, options);
        ASSERT_EQ(done.status, 0) << done.err;
        expect_one_trace(trace(), {{1, 1}, {2, 2}, {3, 1}, {1003, 2}, {4, 1}, {1004, 2}});
    }
}

#ifdef OVNI_TEST_FORTRAN
TEST_F(Worlds, WorldsSpawnedByFortranBelongToTheTrace) {
    Finished done = spawning(1, {app("spawn_f08"), app("spawn")});
    ASSERT_EQ(done.status, 0) << done.err;
    Trace trace = this->trace();
    expect_one_trace(trace, {{1, 1}, {2, 1}});
    expect_letters(between_worlds(trace), 3);
}
#endif

TEST_F(Worlds, WorldsThatCannotLearnTheDirectoryAreNotTraced) {
    std::string far = path(std::string(200, 'x'));
    Finished done = spawning(1, {app("spawn")}, {"-o", far});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_NE(done.err.find("spawned programs are not traced"), std::string::npos) << done.err;
    EXPECT_EQ(Trace::open(far).streams().size(), 1u);
}

}  // namespace ovni::test
