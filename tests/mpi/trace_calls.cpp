// Every call of a program is recorded, and nothing else; tracing changes neither its output nor its messages.
#include "tests/mpi/account.hpp"
#include "tests/mpi/mpi_functions.hpp"
#include "tests/mpi/recorded_traffic.hpp"
#include "tests/mpi/traced.hpp"

namespace ovni::test {

namespace {

constexpr const char* of_mpi_4 = "calls_mpi_4";
constexpr const char* call_counters[] = {
    "mpi_calls",   "calls_c",      "calls_cpp", of_mpi_4,
#ifdef OVNI_TEST_FORTRAN
    "calls_mpifh", "calls_module", "calls_f08",
#endif
};

}  // namespace

// A program that counts its own calls and messages, and on how many ranks it runs.
class CallCounter : public TracedTest, public ::testing::WithParamInterface<std::tuple<const char*, int>> {
 protected:
    Words words() const { return {app(std::get<0>(GetParam())), path("")}; }
    int ranks() const { return std::get<1>(GetParam()); }
    bool is_of_mpi_4() const { return std::string(std::get<0>(GetParam())) == of_mpi_4; }
    // A program has nothing to do.
    static constexpr int nothing_here = 77;
    static constexpr const char* without_mpi_4 = "this MPI has no functions of MPI 4";
    void expect_calls(const Trace& trace) const {
        std::map<int, std::map<std::string, int>> events;  // of all threads of a rank
        for (uint32_t s = 0; s < trace.streams().size(); ++s)
            for (auto& [code, count] : counts_of(trace, s))
                events[*trace.streams()[s].metadata.process->rank][code] += count;
        ASSERT_EQ(events.size(), static_cast<size_t>(ranks()));
        for (auto& [rank, of_rank] : events) expect_calls_of_rank(rank, of_rank);
    }
    // A rank has received what the others sent to it.
    void expect_consistent_account() const {
        Account account = account_of(path("traffic."), ranks());
        EXPECT_FALSE(account.sent.empty());
        EXPECT_EQ(account.sent, account.received);
    }
    // The details of calls match the account, by communicator and in sum.
    static void expect_recorded_messages(const Trace& trace, const Account& account) {
        RecordedTraffic recorded(trace);
        EXPECT_EQ(recorded.sent(), recorded.received());
        EXPECT_EQ(recorded.account().sent, account.sent);
        EXPECT_EQ(recorded.account().received, account.received);
        EXPECT_EQ(recorded.open_receives(), 0u);
    }

 private:
    void expect_calls_of_rank(int rank, std::map<std::string, int>& events) const {
        auto calls = counted(path("calls." + std::to_string(rank)));
        EXPECT_FALSE(calls.empty());
        int expected = 0, of_model = 0;
        for (const MpiFunction& function : mpi_functions()) {
            int recorded = function.tier == 3 ? 0 : calls["MPI_" + function.name];
            EXPECT_EQ(events[function.enter], recorded) << function.name;
            EXPECT_EQ(events[function.leave], recorded) << function.name;
            expected += 2 * recorded;
        }
        for (auto& [code, count] : events) of_model += code[0] == 'M' ? count : 0;
        EXPECT_EQ(of_model, expected);
    }
};
INSTANTIATE_TEST_SUITE_P(Trace, CallCounter,
                         ::testing::Combine(::testing::ValuesIn(call_counters), ::testing::Values(2, 4)),
                         [](const auto& of) {
                             return std::get<0>(of.param) + ("_on_" + std::to_string(std::get<1>(of.param)));
                         });

TEST_P(CallCounter, EveryCallIsAnEnterAndALeaveAndChangesNothing) {
    Finished plain = mpirun(ranks(), words());
    if (plain.status == nothing_here) GTEST_SKIP() << without_mpi_4;
    ASSERT_EQ(plain.status, 0) << plain.err;
    Account account = account_of(path("traffic."), ranks());
    // On one core, threads would run at once on a CPU: a strict reader takes no such trace.
    Finished done =
        traced(ranks(), words(), {"--cpu", "virtual"}, {"OMPI_MCA_hwloc_base_binding_policy=none"});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, plain.out);
    expect_consistent_account();
    EXPECT_EQ(account_of(path("traffic."), ranks()).sent, account.sent);
    Trace trace = this->trace();
    ASSERT_GE(trace.streams().size(), static_cast<size_t>(ranks()));
    expect_calls(trace);
    expect_recorded_messages(trace, account);
    for (const Stream& stream : trace.streams())
        EXPECT_EQ(stream.metadata.common->require.at("mpi"), is_of_mpi_4() ? "1.4.0" : "1.2.0");
    expect_emulates({"-l"});
}

}  // namespace ovni::test
