// mpi.prv of small traces, line by line, and what its text must never hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/file.hpp"
#include "messages/waits/waits.hpp"
#include "mpi_function_rows.hpp"
#include "ovni/mpi_events.h"
#include "sink/paraver/cfg.hpp"
#include "sink/paraver/mpi_prv_text.hpp"
#include "sink/paraver/mpi_side_files.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/trace_builder.hpp"
#include "tests/support/words.hpp"

namespace ovni::test {

using testing::HasSubstr;
using testing::Not;

constexpr auto functions = static_cast<uint16_t>(std::size(mpi_function_rows));

uint16_t function(std::string_view name) {
    for (uint16_t f = 0; f < functions; ++f)
        if (mpi_function_rows[f].name == name) return f;
    throw std::invalid_argument(std::string(name));
}

TEST(ParaverFunctions, NumbersAreThoseThatOtherToolsKnow) {
    for (uint16_t f = 0; f < functions; ++f) {
        const ParaverFunction& known = paraver_function(f);
        EXPECT_LT(known.number, paraver_mpi::first_illegal_number) << mpi_function_rows[f].name;
        EXPECT_EQ(known.number == 0, known.type == 0) << mpi_function_rows[f].name;
        // All that users see most has one; collectives are known by their details.
        const MpiRecord record = mpi_function_rows[f].record;
        EXPECT_EQ(known.type == paraver_mpi::collective, record == MpiRecord::Collective)
            << mpi_function_rows[f].name;
        if (known.number != 0) {
            EXPECT_NE(name_of_paraver_number(known.number), "") << mpi_function_rows[f].name;
        }
    }
}

TEST(ParaverFunctions, FunctionsWithoutANumberHaveThatOfTheNearestKin) {
    auto type_and_number = [](std::string_view name) {
        const ParaverFunction& known = paraver_function(function(name));
        return std::pair(known.type, static_cast<int>(known.number));
    };
    EXPECT_EQ(type_and_number("MPI_Send"), std::pair(50000001u, 1));
    EXPECT_EQ(type_and_number("MPI_Exscan"), std::pair(50000002u, 30));
    EXPECT_EQ(type_and_number("MPI_Iexscan"), std::pair(50000002u, 167));
    EXPECT_EQ(type_and_number("MPI_Init_thread"), std::pair(50000003u, 31));
    EXPECT_EQ(type_and_number("MPI_Comm_split_type"), std::pair(50000003u, 23));
    EXPECT_EQ(type_and_number("MPI_Testall"), std::pair(50000003u, 125));
    EXPECT_EQ(type_and_number("MPI_Win_allocate"), std::pair(50000004u, 63));
    EXPECT_EQ(type_and_number("MPI_File_iread_at"), std::pair(50000005u, 143));
    EXPECT_EQ(type_and_number("MPI_Ineighbor_alltoallw"), std::pair(50000002u, 183));
    EXPECT_EQ(type_and_number("MPI_Info_create"), std::pair(0u, 0));
    EXPECT_EQ(function_value(function("MPI_Send")), 13);
    EXPECT_EQ(function_value(function("MPI_Comm_split")), 1070);
}

class MpiPrvTextTest : public testing::Test {
 protected:
    // Two nodes, three threads; the second task lies on the first node.
    MpiPrvTextTest() {
        MpiPlan::File& file = plan_.files.emplace_back();
        file.nodes = {{"a", 2}, {"b", 1}};
        file.tasks = {{0, 1, true}, {1, 1, true}, {0, 1, true}};
        file.communicators = {{1, 2, 3}, {2}};
        file.threads = {0, 1, 2};
        plan_.threads = {{0, 0, 0, 0, 0, false}, {0, 1, 0, 2, 1, false}, {0, 2, 0, 1, 2, false}};
        plan_.thread_of_row = {0, 1, 2};
    }
    template <class Item>
    std::string text(const Item& item, MpiPrvText::States states = MpiPrvText::States::shown) const {
        std::array<char, MpiPrvText::slack> room{};
        return {room.data(), MpiPrvText(plan_, states).format(item, room)};
    }
    static MpiCall enter(std::string_view name, int64_t time) {
        MpiCall call;
        call.step = MpiCall::Step::enter;
        call.function = function(name);
        call.time = time;
        return call;
    }

    MpiPlan plan_;
};

TEST_F(MpiPrvTextTest, HeaderHasTasksNodesAndCommunicators) {
    EXPECT_EQ(mpi_prv_header(plan_.files[0], 7),
              "#Paraver (19/01/38 at 03:14):00000000000000000007_ns:2(2,1):1:3(1:1,1:2,1:1),2\n"
              "c:1:1:3:1:2:3\nc:1:2:1:2\n");
    EXPECT_EQ(mpi_prv_header(plan_.files[0], 7).size(),
              mpi_prv_header(plan_.files[0], std::numeric_limits<int64_t>::max()).size());
}

TEST_F(MpiPrvTextTest, RowsCountThreadsAndEndWithAThread) {
    EXPECT_EQ(mpi_row_text(plan_, plan_.files[0]),
              "LEVEL CPU SIZE 3\n01.a\n02.a\n03.b\n\nLEVEL NODE SIZE 2\na\nb\n\n"
              "LEVEL THREAD SIZE 3\nTHREAD 1.1.1\nTHREAD 1.2.1\nTHREAD 1.3.1\n");
}

TEST_F(MpiPrvTextTest, TheMpiPairComesFirstAndTheRootIsOnlyInTheLineOfTheRoot) {
    MpiCall call = enter("MPI_Reduce", 10);
    call.thread = 1;
    call.sent = 8;
    call.communicator = 1;
    EXPECT_EQ(text(call), "2:3:1:2:1:10:50000002:9:25:32:50100001:8:50100002:0:50100004:1\n");
    call.root = MpiCall::Root::yes;
    EXPECT_EQ(text(call), "2:3:1:2:1:10:50000002:9:25:32:50100001:8:50100002:0:50100003:1:50100004:1\n");
}

TEST_F(MpiPrvTextTest, SizesHave31Bits) {
    MpiCall call = enter("MPI_Get", 10);
    call.received = 3'000'000'000;
    call.target = 2;
    EXPECT_EQ(text(call), "2:1:1:1:1:10:50000004:66:25:1098:50001000:2147483647:50001001:2\n");
    call = enter("MPI_File_write", 10);
    call.sent = 1ull << 40;
    EXPECT_EQ(text(call), "2:1:1:1:1:10:50000005:145:25:1172:50000110:2147483647\n");
}

TEST_F(MpiPrvTextTest, StatesMayBeLeftOut) {
    MpiCall call = enter("MPI_Send", 10);
    call.state = ParaverState::blocking_send;
    call.state_end = 20;
    EXPECT_EQ(text(call), "1:1:1:1:1:10:20:4\n2:1:1:1:1:10:50000001:1:25:13\n");
    EXPECT_EQ(text(call, MpiPrvText::States::left_out), "2:1:1:1:1:10:50000001:1:25:13\n");
}

// Another tool takes that text for a burst.
TEST_F(MpiPrvTextTest, NothingLooksLikeABurst) {
    MpiCall call = enter("MPI_Info_create", 1'040'000'018);
    EXPECT_EQ(text(call), "2:1:1:1:1:1040000018:025:1279\n");
    call.state = ParaverState::not_created;
    call.state_end = 2'040'000'018;
    EXPECT_EQ(text(call), "1:1:1:1:1:1040000018:02040000018:02\n2:1:1:1:1:1040000018:025:1279\n");
    MessageRecord message;
    message.time = 40'000'018;
    message.send_end = 240'000'018;
    message.receiver_row = 2;
    message.receive_begin = 140'000'018;
    message.receive_end = 2'140'000'018;
    message.bytes = 240'000'018;
    message.tag = 2;
    EXPECT_EQ(text(message), "3:1:1:1:1:40000018:0240000018:02:1:3:1:140000018:02140000018:0240000018:02\n");
}

TEST_F(MpiPrvTextTest, LabelsHaveNoDigitsThatSwitchOtherToolsOn) {
    ShownInMpi all;
    all.called.fill(~uint64_t{0});
    for (size_t f = std::size(mpi_function_rows); f < ShownInMpi::functions; ++f)
        all.called[f / 64] &= ~(uint64_t{1} << f % 64);
    all.has_gaps = all.has_path = 1;
    all.waits = ~uint64_t{0};
    FileSchema threads;
    EventType waits;
    waits.type = prv_type::wait_state;
    waits.title = "MPI wait state";
    for (size_t kind = 1; kind < wait_names.size(); ++kind)
        waits.labels.emplace_back(static_cast<int64_t>(kind), wait_names[kind]);
    threads.types.push_back(waits);
    const std::string pcf = mpi_pcf_text(all, threads);
    for (const char* trap :
         {"600000", "610000", "630000", "631000", "632000", "640000", "641000", "642000", "9200001"})
        EXPECT_THAT(pcf, Not(HasSubstr(trap)));
    EXPECT_THAT(
        pcf, HasSubstr("\n0 50000002   MPI Collective Comm\nVALUES\n0      Outside MPI\n7      MPI_Bcast\n"));
    EXPECT_THAT(pcf, HasSubstr("\n0 320        MPI wait state\nVALUES\n0      None\n1      Late sender\n"));
    EXPECT_THAT(mpi_pcf_text({}, threads), Not(HasSubstr("50000001")));
    EXPECT_THAT(mpi_pcf_text({}, threads), Not(HasSubstr("MPI wait state")));
}

TEST_F(MpiPrvTextTest, WindowConfigurationsShowWhatTheFileHas) {
    TemporaryDirectory directory;
    write_mpi_views(directory.path());
    const std::string calls = read_file(directory.path() / "cfg/mpi.prv/calls.cfg");
    EXPECT_THAT(
        calls, HasSubstr("\nwindow_filter_module evt_type 5 50000001 50000002 50000003 50000004 50000005\n"));
    EXPECT_THAT(calls, HasSubstr("\nwindow_filter_module evt_type_label 5 \"MPI Point-to-point\" "));
    EXPECT_THAT(read_file(directory.path() / "cfg/mpi.prv/collective-roots.cfg"),
                HasSubstr("\nwindow_filter_module evt_type 1 50100003\n"));
}

class MpiPrvTest : public testing::Test {
 protected:
    StreamBuilder& rank(int rank, int tid, int nranks = 2) {
        Identity identity;
        identity.loom = rank == 0 ? "node0.a" : "node1.b";
        identity.pid = rank * 10 + 1;
        identity.tid = tid;
        identity.rank = rank;
        identity.nranks = nranks;
        identity.require = {{"ovni", "1.1.0"}, {"mpi", "1.2.0"}};
        return trace_.thread(identity);
    }
    std::string emulate(const Words& options = {}, int status = 0) {
        const std::filesystem::path directory = trace_.write();
        Finished done = run(Words{program("ovniemu"), "--mpi-prv"} + options + Words{directory});
        EXPECT_EQ(done.status, status) << done.err;
        messages_ = done.err;
        directory_ = directory;
        const std::filesystem::path file = directory / (status == 0 ? "mpi.prv" : "mpi.partial.prv");
        return std::filesystem::exists(file) ? read_file(file) : "";
    }

    TraceBuilder trace_;
    std::filesystem::path directory_;
    std::string messages_;
};

TEST_F(MpiPrvTest, TheFileHasTasksStatesAndCollectives) {
    rank(0, 1)
        .starts(0)
        .event("MUi", 10)
        .event("MUI", 20)
        .event("MDb", 30, {0, u32(OVNI_MPI_WORLD), u64(64)})
        .event("MDB", 40, {u64(0)})
        .ends(90);
    rank(1, 11)
        .starts(5)
        .event("MUt", 15)
        .event("MUT", 20)
        .event("MDb", 25, {0, u32(OVNI_MPI_WORLD), u64(0)})
        .event("MDB", 50, {u64(64)})
        .ends(100);
    EXPECT_EQ(emulate(),
              "#Paraver (19/01/38 at 03:14):00000000000000000100_ns:2(1,1):1:2(1:1,1:2),1\n"
              "c:1:1:2:1:2\n"
              "1:2:1:2:1:0:5:2\n"
              "1:1:1:1:1:0:10:1\n"
              "1:2:1:2:1:5:15:1\n"
              "1:1:1:1:1:10:20:15\n2:1:1:1:1:10:50000003:31:25:1\n"
              "1:2:1:2:1:15:20:15\n2:2:1:2:1:15:50000003:31:25:2\n"
              "1:1:1:1:1:20:30:1\n2:1:1:1:1:20:50000003:0:25:0\n"
              "1:2:1:2:1:20:25:1\n2:2:1:2:1:20:50000003:0:25:0\n"
              "1:2:1:2:1:25:50:13\n2:2:1:2:1:25:50000002:7:25:30:50100001:0:50100002:64:50100004:1\n"
              "1:1:1:1:1:30:40:13\n"
              "2:1:1:1:1:30:50000002:7:25:30:50100001:64:50100002:0:50100003:1:50100004:1\n"
              "1:1:1:1:1:40:90:1\n2:1:1:1:1:40:50000002:0:25:0\n"
              "1:2:1:2:1:50:100:1\n2:2:1:2:1:50:50000002:0:25:0\n"
              "1:1:1:1:1:90:100:2\n");
}

TEST_F(MpiPrvTest, GapsEndCallsAndCallsInsideOfOthersAreLeftOut) {
    rank(0, 1)
        .starts(0)
        .event("MUi", 10)
        .event("MX[", 12, {u16(13)})
        .event("MX]", 14, {u16(13)})
        .event("MUI", 20)
        .event("MCb", 30, {-1, u32(OVNI_MPI_WORLD), u64(0)})
        .gap(40, 50)
        .event("MCB", 60, {u64(0)})
        .event("OHp", 70)
        .event("OHr", 80)
        .ends(90);
    EXPECT_THAT(emulate(), HasSubstr("1:1:1:1:1:0:10:1\n"
                                     "1:1:1:1:1:10:20:15\n2:1:1:1:1:10:50000003:31:25:1\n"
                                     "1:1:1:1:1:20:30:1\n2:1:1:1:1:20:50000003:0:25:0\n"
                                     "1:1:1:1:1:30:40:13\n"
                                     "2:1:1:1:1:30:50000002:8:25:29:50100001:0:50100002:0:50100004:1\n"
                                     "1:1:1:1:1:40:50:14\n2:1:1:1:1:40:50000002:0:25:0:40000012:0\n"
                                     "1:1:1:1:1:50:70:1\n2:1:1:1:1:50:40000012:1\n"
                                     "1:1:1:1:1:70:80:9\n"
                                     "1:1:1:1:1:80:90:1\n"));
}

// A line of a wait comes behind the calls of its time.
TEST_F(MpiPrvTest, TheFileHasWaitsAndTheCriticalPath) {
    for (int r : {0, 1})
        rank(r, 10 * r + 1)
            .set("ovni.run", "a-run")
            .starts(0)
            .event("MUi", 10)
            .event("MUI", 20)
            .event("MCb", r == 0 ? 30 : 80, {-1, u32(OVNI_MPI_WORLD), u64(0)})
            .event("MCB", 90, {u64(0)})
            .event("MUf", 100)
            .event("MUF", 110)
            .ends(120);
    const std::string text = emulate();
    EXPECT_THAT(text, HasSubstr("\n2:1:1:1:1:30:50000002:8:25:29:50100001:0:50100002:0:50100004:1\n"
                                "2:1:1:1:1:30:320:3\n"));
    EXPECT_THAT(text, HasSubstr("\n2:1:1:1:1:80:320:0\n"));
    EXPECT_THAT(text, HasSubstr("\n2:2:1:2:1:20:321:1\n"));
    EXPECT_THAT(text, HasSubstr("\n2:1:1:1:1:80:321:1\n"));
    const std::string pcf = read_file(directory_ / "mpi.pcf");
    EXPECT_THAT(pcf,
                HasSubstr("\n0 320        MPI wait state\nVALUES\n0      None\n3      Wait at barrier\n"));
    EXPECT_THAT(
        pcf,
        HasSubstr("\n0 321        MPI critical path\nVALUES\n0      None\n1      On the critical path\n"));
}

TEST_F(MpiPrvTest, TasksThatWereNotRecordedAreThere) {
    rank(1, 12, 3).starts(0).ends(10);
    rank(1, 11, 3).starts(2).ends(8);
    EXPECT_EQ(emulate(),
              "#Paraver (19/01/38 at 03:14):00000000000000000010_ns:2(2,2):1:3(1:1,2:2,1:1),1\n"
              "c:1:1:3:1:2:3\n"
              "1:1:1:1:1:0:10:14\n2:1:1:1:1:0:50000003:31\n2:1:1:1:1:0:50000003:0\n"
              "1:3:1:2:1:0:2:2\n2:3:1:2:1:0:50000003:31\n2:3:1:2:1:0:50000003:0\n"
              "1:2:1:3:1:0:10:14\n2:2:1:3:1:0:50000003:31\n2:2:1:3:1:0:50000003:0\n"
              "1:4:1:2:2:0:10:1\n"
              "1:3:1:2:1:2:8:1\n"
              "1:3:1:2:1:8:10:2\n");
    EXPECT_THAT(read_file(directory_ / "mpi.row"), HasSubstr("LEVEL NODE SIZE 2\nnot-recorded\nnode1\n"));
}

TEST_F(MpiPrvTest, ProgramsWithoutMpiGetNoFile) {
    trace_.thread().starts(0).ends(10);
    EXPECT_EQ(emulate(), "");
    EXPECT_THAT(messages_, HasSubstr("no MPI program is in this trace"));
}

TEST_F(MpiPrvTest, AnErrorLeavesAPartialFile) {
    rank(0, 1).starts(0).event("MUi", 10).event("MUI", 20).event("MUI", 30).ends(90);
    EXPECT_THAT(emulate({}, 1), HasSubstr("\n2:1:1:1:1:20:50000003:0:25:0\n"));
    EXPECT_FALSE(std::filesystem::exists(directory_ / "mpi.prv"));
}

TEST_F(MpiPrvTest, StatesNeedTheFile) {
    rank(0, 1).starts(0).ends(10);
    EXPECT_EQ(run({program("ovniemu"), "--no-states", trace_.write()}).status, 2);
    EXPECT_THAT(emulate({"--no-states"}), Not(HasSubstr("\n1:")));
}

}  // namespace ovni::test
