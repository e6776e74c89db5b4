// Calls of MPI from inside of others, calls that are left or fail, and what the books say behind them.
#include <functional>
#include <set>

#include "model/mpi_details.hpp"
#include "ovni/format.h"
#include "ovni/mpi_events.h"
#include "tests/mpi/recorded_traffic.hpp"
#include "tests/mpi/traced.hpp"

namespace ovni::test {

class Books : public TracedTest {
 protected:
    static void for_each_event(const Trace& trace,
                               const std::function<void(uint32_t, const EventView&)>& take) {
        for (uint32_t s = 0; s < trace.streams().size(); ++s)
            for (StreamReader reader = trace.reader(s, 0, ClockOrder::checked); reader.next();)
                if (reader.event().kind == EventView::Kind::event) take(s, reader.event());
    }
    static int count(const Trace& trace, const std::function<bool(const MpiDetails&)>& fits) {
        int count = 0;
        for_each_event(trace, [&](uint32_t, const EventView& event) {
            count += fits(mpi_details(event.code, event.payload()));
        });
        return count;
    }
    static int ended(const Trace& trace, uint32_t how) {
        return count(trace, [&](const MpiDetails& details) {
            return details.step == MpiDetails::Step::request_ended && details.how == how;
        });
    }
    static int entered(const Trace& trace, const std::string& function) {
        return count(trace, [&](const MpiDetails& details) {
            return details.step == MpiDetails::Step::enter && details.function->name == function;
        });
    }
    // The names that ranks gave to the communicator of an id; `flags`: of all communicators.
    struct Names {
        std::map<uint64_t, std::set<std::string>> by_id;
        uint32_t flags = 0;
    };
    static Names names_of(const Trace& trace) {
        Names names;
        std::map<std::pair<uint32_t, uint32_t>, uint64_t> ids;
        for_each_event(trace, [&](uint32_t stream, const EventView& event) {
            if (event.code == OVNI_MPI_COMMUNICATOR) {
                auto known = mpi_communicator(event.payload().subspan(OVNI_FORMAT_JUMBO_SIZE));
                ids[{stream, known->number}] = known->id;
                names.flags |= known->flags;
            }
            if (event.code == OVNI_MPI_NAME) {
                auto data = event.payload().subspan(OVNI_FORMAT_JUMBO_SIZE);
                uint32_t number = 0;
                std::memcpy(&number, data.data(), sizeof number);
                names.by_id[ids.at({stream, number})].insert(
                    reinterpret_cast<const char*>(data.subspan(sizeof number).data()));
            }
        });
        return names;
    }
    // Every id has one name, and everybody knows it.
    void expect_agreed(size_t communicators) const {
        Names names = names_of(trace());
        EXPECT_EQ(names.by_id.size(), communicators);
        for (const auto& [id, given] : names.by_id) EXPECT_EQ(given.size(), 1u) << *given.begin();
        EXPECT_EQ(names.flags & (OVNI_MPI_BY_USE | OVNI_MPI_FOREIGN), 0u);
        RecordedTraffic recorded(trace());
        EXPECT_FALSE(recorded.sent().empty());
        EXPECT_EQ(recorded.sent(), recorded.received());
        expect_emulates();
    }
    void expect_unchanged(int ranks, const Words& words) const {
        Finished plain = mpirun(ranks, words), done = traced(ranks, words);
        EXPECT_EQ(plain.status, 0) << plain.err;
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(done.out, plain.out);
    }
};

// Three copies of a pair, of the world and of each rank alone.
TEST_F(Books, FollowCallsInsideOfOthers) {
    for (int ranks : {2, 3}) {
        expect_unchanged(ranks, {app("callbacks"), "attributes"});
        expect_agreed(static_cast<size_t>(3 * 2 * (1 + ranks)));
    }
}

TEST_F(Books, FollowCallsInsideOfOthersWhereTheyAreLeftOut) {
    ASSERT_EQ(
        traced(2, {app("callbacks"), "attributes"}, {"--mpi-functions", "default,-communicator"}).status, 0);
    RecordedTraffic recorded(trace());
    EXPECT_FALSE(recorded.sent().empty());
    EXPECT_EQ(recorded.sent(), recorded.received());
    EXPECT_EQ(names_of(trace()).flags & OVNI_MPI_BY_USE, 0u);
}

TEST_F(Books, CountWhatIsMadeBehindALongjmp) {
    expect_unchanged(3, {app("callbacks"), "jump"});
    expect_agreed(2);
}

TEST_F(Books, SayWhichIdsMayDiffer) {
    ASSERT_EQ(traced(2, {app("odd_calls"), "idup"}, {"--mpi-functions", "default,-completion"}).status, 0);
    EXPECT_NE(names_of(trace()).flags & OVNI_MPI_BY_USE, 0u);
    std::string text = run({program("ovnidump"), trace_directory()}).out;
    EXPECT_NE(text.find(" holds here "), std::string::npos);
    EXPECT_NE(text.find(" holds everywhere "), std::string::npos);
}

TEST_F(Books, TwoSidesOfAPortAgreeOnTheirCommunicators) {
    ASSERT_EQ(traced(4, {app("odd_calls"), "port"}).status, 0);
    expect_agreed(2);
}

TEST_F(Books, SurviveCallbacksOnStacksOfTheirOwn) {
    expect_unchanged(2, {app("callbacks"), "stack"});
    Trace trace = this->trace();
    constexpr int times = 10;
    EXPECT_EQ(entered(trace, "MPI_Allreduce"), 2 * times);
    EXPECT_EQ(entered(trace, "MPI_Barrier"), 2 * times);
    expect_emulates();
}

// Eight kinds of waits, one of three requests fails in each; and one request of the program's own.
TEST_F(Books, EndRequestsThatFail) {
    expect_unchanged(2, {app("callbacks"), "errors"});
    Trace trace = this->trace();
    constexpr int kinds = 8;
    EXPECT_EQ(ended(trace, OVNI_MPI_FAILED), kinds + 1);
    EXPECT_EQ(ended(trace, OVNI_MPI_CANCELLED), 0);
    EXPECT_EQ(RecordedTraffic(trace).open_receives(), 0u);
    expect_emulates();
}

// Statuses of Open MPI's I/O say anything about that.
TEST_F(Books, TakeNothingForCancelledThatTheProgramDidNotCancel) {
    ASSERT_EQ(traced(2, {app("calls_c"), path(""), "files"}).status, 0);
    Trace trace = this->trace();
    EXPECT_EQ(ended(trace, OVNI_MPI_CANCELLED), 0);
    EXPECT_GT(count(trace,
                    [](const MpiDetails& details) {
                        return details.step == MpiDetails::Step::bytes && details.bytes.value_or(0) > 0;
                    }),
              0);
}

// The program says itself where its memory grows.
TEST_F(Books, WhatHasEndedTakesNoMemory) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer keeps what is freed";
#endif
    for (const Words& options : {Words{}, Words{"--mpi-functions", "default,-communicator"}}) {
        Finished done = traced(2, {app("odd_calls"), "rounds"}, options);
        EXPECT_EQ(done.status, 0) << done.out << done.err;
    }
}

}  // namespace ovni::test
