// The details of calls beyond the account of trace_calls.cpp: objects, odd requests, large counts, and what
// the tools make of them.
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.hpp"
#include "ovni/mpi_events.h"
#include "tests/mpi/account.hpp"
#include "tests/mpi/mpi_functions.hpp"
#include "tests/mpi/recorded_traffic.hpp"
#include "tests/mpi/traced.hpp"

namespace ovni::test {

class Details : public TracedTest {
 protected:
    void expect_matching(const Trace& trace) const {
        RecordedTraffic recorded(trace);
        EXPECT_FALSE(recorded.sent().empty());
        EXPECT_EQ(recorded.sent(), recorded.received());
        EXPECT_EQ(recorded.open_receives(), 0u);
    }
    std::string dumped() const { return run({program("ovnidump"), trace_directory()}).out; }
    // The details of all calls of that function, entering or leaving.
    static std::vector<MpiDetails> of(const Trace& trace, const std::string& function,
                                      MpiDetails::Step step) {
        std::vector<MpiDetails> all;
        for (uint32_t s = 0; s < trace.streams().size(); ++s)
            for (StreamReader reader = trace.reader(s, 0, ClockOrder::checked); reader.next();) {
                if (reader.event().kind != EventView::Kind::event) continue;
                MpiDetails details = mpi_details(reader.event().code, reader.event().payload());
                if (details.step == step && details.function->name == function) all.push_back(details);
            }
        return all;
    }
};

TEST_F(Details, CommunicatorsHaveTheMembersThatTellOfThem) {
    for (int ranks : {2, 4}) {
        ASSERT_EQ(traced(ranks, {app("calls_c"), path(""), "communicators", "neighbours"}).status, 0);
        RecordedTraffic recorded(trace());
        EXPECT_GT(recorded.told_members().size(), 10u);
        for (const auto& [id, tellers] : recorded.tellers()) {
            auto [told, end] = recorded.told_members().equal_range(id);
            if (told == end) continue;  // has the ranks of MPI_COMM_WORLD
            std::set<int> members;
            for (; told != end; ++told)
                members.insert(told->second.members.begin(), told->second.members.end());
            EXPECT_EQ(members, tellers) << id;
        }
    }
}

TEST_F(Details, CommunicatorsMadeInAPauseAreKnown) {
    ASSERT_EQ(traced(4, {app("odd_calls"), "unseen"}).status, 0);
    expect_matching(trace());
    EXPECT_NE(dumped().find(" is named backwards"), std::string::npos);
    expect_emulates();
}

// A rank whose recording is off tells the others' readers what only it tells: members of communicators.
TEST_F(Details, CommunicatorsOfARankThatIsOffAreKnown) {
    ASSERT_EQ(traced(4, {app("odd_calls"), "unseen"}).status, 0);
    size_t told = RecordedTraffic(trace()).told_members().size();
    ASSERT_EQ(
        traced(4, {app("odd_calls"), "unseen"}, {"--control", "start:mpi:finalize", "--control-ranks", "3"})
            .status,
        0);
    EXPECT_EQ(RecordedTraffic(trace()).told_members().size(), told);
    EXPECT_GT(told, 0u);
    expect_emulates();
}

TEST_F(Details, CommunicatorsMadeInTheBackgroundAreKnown) {
    ASSERT_EQ(traced(3, {app("odd_calls"), "idup"}).status, 0);
    expect_matching(trace());
    RecordedTraffic recorded(trace());
    std::set<uint64_t> ids;
    for (const auto& [channel, amount] : recorded.sent()) ids.insert(std::get<0>(channel));
    EXPECT_EQ(ids.size(), 5u);
}

TEST_F(Details, MistakesLeadToWhatTheyDoUntraced) {
    Finished plain = mpirun(2, {app("odd_calls"), "wrong"});
    EXPECT_EQ(plain.status, 0) << plain.err;
    EXPECT_NE(plain.out, "");
    Finished done = traced(2, {app("odd_calls"), "wrong"});
    EXPECT_EQ(done.status, plain.status);
    EXPECT_EQ(done.out, plain.out);
    Trace trace = this->trace();
    auto ended = [&](uint32_t how) {
        int count = 0;
        for (uint32_t s = 0; s < trace.streams().size(); ++s)
            for (StreamReader reader = trace.reader(s, 0, ClockOrder::checked); reader.next();) {
                if (reader.event().kind != EventView::Kind::event) continue;
                MpiDetails details = mpi_details(reader.event().code, reader.event().payload());
                count += details.step == MpiDetails::Step::request_ended && details.how == how;
            }
        return count;
    };
    std::istringstream lines(run({program("ovnitop"), "--mpi", trace_directory()}).out);
    for (std::string line, rank, function; std::getline(lines, line);) {
        std::istringstream words(line);
        double seconds = 0, share = 0;
        uint64_t calls = 0, sent = 0;
        words >> rank >> function >> calls >> seconds >> share >> sent;
        EXPECT_TRUE(function != "MPI_Allreduce" || sent == 0) << line;
    }
    // One of two messages to each rank was too long; the other may still have been on its way.
    EXPECT_EQ(ended(OVNI_MPI_FAILED), 2);
    EXPECT_LE(ended(OVNI_MPI_COMPLETED), 2);
    expect_emulates();
}

TEST_F(Details, RequestsThatAreDoneAtOnceCountTheirMessages) {
    ASSERT_EQ(traced(3, {app("odd_calls"), "inert"}).status, 0);
    Trace trace = this->trace();
    expect_matching(trace);
    constexpr uint64_t rounds = 6, messages = 30;
    RecordedTraffic recorded(trace);
    for (const auto& [channel, amount] : recorded.sent()) EXPECT_EQ(amount.messages, rounds * messages);
}

TEST_F(Details, NamesOfCommunicatorsAreText) {
    ASSERT_EQ(traced(2, {app("odd_calls"), "names"}).status, 0);
    std::string text = dumped();
    EXPECT_NE(text.find(" is named caf\xc3\xa9 \\xff\\x0a.\n"), std::string::npos);
    EXPECT_NE(text.find(" is named before\n"), std::string::npos);
    EXPECT_NE(text.find(" is named behind\n"), std::string::npos);
    expect_matching(trace());
    expect_emulates();
}

TEST_F(Details, OneSidedCallsThatSendNothingHaveNoBytes) {
    ASSERT_EQ(traced(2, {app("odd_calls"), "windows"}).status, 0);
    Trace trace = this->trace();
    for (const std::string function : {"MPI_Fetch_and_op", "MPI_Get_accumulate"}) {
        auto entered = of(trace, function, MpiDetails::Step::enter);
        auto left = of(trace, function, MpiDetails::Step::leave);
        ASSERT_EQ(left.size(), 2u);
        for (const MpiDetails& details : entered) EXPECT_EQ(details.bytes, 0u) << function;
        for (const MpiDetails& details : left) EXPECT_EQ(details.bytes, sizeof(int32_t)) << function;
    }
    for (const std::string function : {"MPI_Put", "MPI_Get"})
        for (auto step : {MpiDetails::Step::enter, MpiDetails::Step::leave})
            for (const MpiDetails& details : of(trace, function, step))
                EXPECT_EQ(details.bytes, 0u) << function;
}

TEST_F(Details, CountBytesOfTheNeighboursOnEitherSide) {
    ASSERT_EQ(traced(3, {app("odd_calls"), "funnel"}).status, 0);
    Trace trace = this->trace();
    auto bytes = [&](MpiDetails::Step step) {
        std::multiset<uint64_t> all;
        for (const MpiDetails& details : of(trace, "MPI_Neighbor_alltoall", step))
            all.insert(details.bytes.value());
        return all;
    };
    EXPECT_EQ(bytes(MpiDetails::Step::enter), (std::multiset<uint64_t>{0, sizeof(int), sizeof(int)}));
    EXPECT_EQ(bytes(MpiDetails::Step::leave), (std::multiset<uint64_t>{0, 0, 2 * sizeof(int)}));
}

TEST_F(Details, CountBytesBeyond4GiB) {
    constexpr uint64_t bytes = uint64_t{2147483647} * 8;
    ASSERT_EQ(traced(1, {app("odd_calls"), "large"}).status, 0);
    Trace trace = this->trace();
    auto sends = of(trace, "MPI_Send", MpiDetails::Step::leave);
    ASSERT_EQ(sends.size(), 1u);
    EXPECT_EQ(sends[0].bytes, bytes);
    EXPECT_EQ(sends[0].peer, -2);
    EXPECT_EQ(of(trace, "MPI_Send_init", MpiDetails::Step::leave).at(0).bytes, bytes);
    EXPECT_EQ(of(trace, "MPI_Bcast", MpiDetails::Step::enter).at(0).bytes, bytes);
}

// Whoever leaves out the makers of communicators still gets messages on them.
TEST_F(Details, KnowCommunicatorsWhoseMakersAreNotRecorded) {
    ASSERT_EQ(traced(4, {app("calls_c"), path(""), "communicators"},
                     {"--mpi-functions", "p2p,persistent,completion"})
                  .status,
              0);
    expect_matching(trace());
    EXPECT_EQ(of(trace(), "MPI_Comm_split", MpiDetails::Step::enter).size(), 0u);
}

TEST_F(Details, TracesForTheReferenceHaveNoDetails) {
    ASSERT_EQ(traced(2, {app("calls_c"), path("")}, {"--mpi-events", "reference"}).status, 0);
    Trace trace = this->trace();
    for (uint32_t s = 0; s < trace.streams().size(); ++s)
        for (StreamReader reader = trace.reader(s, 0, ClockOrder::checked); reader.next();) {
            if (reader.event().code.model() != 'M') continue;
            EXPECT_EQ(reader.event().payload().size(), 0u);
        }
    EXPECT_EQ(trace.streams()[0].metadata.common->require.at("mpi"), "1.0.0");
}

TEST_F(Details, ReachPeopleThroughOvnidump) {
    ASSERT_EQ(
        traced(2, {app("calls_c"), path(""), "messages", "requests", "communicators", "one_sided", "files"})
            .status,
        0);
    std::string text = dumped();
    EXPECT_NE(text.find("begin: MPI_Send peer="), std::string::npos);
    EXPECT_NE(text.find("begin: MPI_Comm_split communicator=1"), std::string::npos);
    EXPECT_NE(text.find(" name=" + path("")), std::string::npos);
    EXPECT_NE(text.find("starts: peer=any tag="), std::string::npos);
    EXPECT_EQ(text.find("UNKNOWN"), std::string::npos);
    EXPECT_EQ(text.find("<missing>"), std::string::npos);
}

// Rank, function, calls, seconds, bytes sent, bytes received.
std::string profile_line(const std::string& name, const nlohmann::json& of) {
    std::array<char, 200> line{};
    std::snprintf(line.data(), line.size(), "%s %s %lu %.6f %lu %lu", name.c_str(),
                  of["function"].get<std::string>().c_str(), of["calls"].get<uint64_t>(),
                  of["ns"].get<double>() / 1e9, of["sent"].get<uint64_t>(), of["received"].get<uint64_t>());
    return line.data();
}

TEST_F(Details, ReportsAndOvnitopHaveTheSameSums) {
    ASSERT_EQ(traced(2, {app("calls_c"), path(""), "messages", "requests", "persistent", "collectives",
                         "communicators", "one_sided", "files"})
                  .status,
              0);
    expect_emulates({"--report", path("report.json")});
    auto report = nlohmann::json::parse(read_file(path("report.json")));
    std::multiset<std::string> reported, expected;
    for (const auto& of : report["total"]["mpi"]) reported.insert(profile_line("all", of));
    for (const auto& process : report["processes"])
        for (const auto& of : process["mpi"])
            reported.insert(profile_line(std::to_string(process["rank"].get<int>()), of));
    std::istringstream lines(run({program("ovnitop"), "--mpi", trace_directory()}).out);
    std::string line, word;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string joined;
        constexpr int share = 4;
        for (int column = 0; words >> word; ++column)
            if (column != share) joined += (joined.empty() ? "" : " ") + word;
        expected.insert(joined);
    }
    EXPECT_GT(expected.size(), 100u);
    EXPECT_EQ(reported, expected);
}

TEST_F(Details, OvnitopSumsUpCallsAndBytes) {
    ASSERT_EQ(traced(2, {app("calls_c"), path(""), "messages", "probes", "requests"}).status, 0);
    std::istringstream lines(run({program("ovnitop"), "--mpi", trace_directory()}).out);
    std::map<std::string, uint64_t> sent, received;
    std::map<std::string, std::map<std::string, uint64_t>> calls;
    std::set<std::string> collectives;
    for (const MpiFunction& function : mpi_functions())
        if (function.family == "collective") collectives.insert("MPI_" + function.name);
    std::string line;
    std::getline(lines, line);
    EXPECT_TRUE(line.starts_with("rank "));
    for (std::string rank, function; lines >> rank >> function;) {
        uint64_t count, out, in;
        double seconds, share;
        lines >> count >> seconds >> share >> out >> in;
        EXPECT_GE(seconds, 0);
        calls[rank][function] = count;
        if (collectives.contains(function)) continue;
        sent[rank] += out;
        received[rank] += in;
    }
    Account account = account_of(path("traffic."), 2);
    std::map<std::string, uint64_t> sent_by_program, received_by_program;
    for (const auto& [pair, amount] : account.sent)
        sent_by_program[std::to_string(pair.first)] += static_cast<uint64_t>(amount.first);
    for (const auto& [pair, amount] : account.received)
        received_by_program[std::to_string(pair.second)] += static_cast<uint64_t>(amount.first);
    for (const std::string rank : {"0", "1"}) {
        EXPECT_EQ(sent[rank], sent_by_program[rank]) << rank;
        EXPECT_EQ(received[rank], received_by_program[rank]) << rank;
        auto counts = counted(path("calls." + rank));
        for (const MpiFunction& function : mpi_functions()) {
            auto made = static_cast<uint64_t>(function.tier == 3 ? 0 : counts["MPI_" + function.name]);
            EXPECT_EQ(calls[rank]["MPI_" + function.name], made) << function.name;
        }
    }
    EXPECT_EQ(sent["all"], sent["0"] + sent["1"]);
}

}  // namespace ovni::test
