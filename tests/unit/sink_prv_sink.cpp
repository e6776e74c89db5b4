#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sink/paraver/pcf.hpp"
#include "sink/paraver/prv_sink.hpp"
#include "sink/paraver/prv_text.hpp"
#include "sink/paraver/row.hpp"
#include "tests/unit/sink_support.hpp"

namespace ovni {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Schema small_schema() {
    Schema schema;
    using Labels = TextList;
    schema.thread = {"thread", Labels{"TH 1.4321"}, {{4, "Thread: state", {{0, "Unknown"}, {1, "Running"}}}}};
    schema.cpu = {"cpu", Labels{" CPU 0.10", " CPU 0.12", "vCPU 0.*"}, {}};
    return schema;
}

// One thread that runs on one CPU with marks of two types and the channels of a task model.
std::vector<Record> small_trace() {
    std::vector<Record> records{line(0, 6, 1, 0),          line(0, 4, 1, 0),          line(0, 2, 4321, 0),
                                line(0, 2, 4321, none, 0), line(0, 1, 4321, none, 0), line(0, 3, 1, none, 0),
                                line(0, 7, 0, none, 0)};
    for (uint16_t type : {105, 106, 15, 10, 11, 12, 13, 14}) records.push_back(line(0, type, 0, 0, 0));
    records.push_back(line(0, 16, 100, 0, 0));
    records.push_back(line(2, 105, 3, 0, 0));
    for (uint16_t type : {4, 2, 6}) records.push_back(line(3, type, type == 4 ? 3 : 0, 0));
    for (uint16_t type : {2, 1, 3}) records.push_back(line(3, type, 0, none, 0));
    records.push_back(line(3, 105, 0, 0, 0));
    records.push_back(line(3, 16, 0, 0));
    records.push_back(line(3, 16, 101, none, 0));
    return records;
}

constexpr const char* thread_prv = R"(#Paraver (19/01/38 at 03:14):00000000000000000003_ns:0:1:1(1:1)
2:0:1:1:1:0:6:1
2:0:1:1:1:0:4:1
2:0:1:1:1:0:2:4321
2:0:1:1:1:0:105:0
2:0:1:1:1:0:106:0
2:0:1:1:1:0:15:0
2:0:1:1:1:0:10:0
2:0:1:1:1:0:11:0
2:0:1:1:1:0:12:0
2:0:1:1:1:0:13:0
2:0:1:1:1:0:14:0
2:0:1:1:1:0:16:100
2:0:1:1:1:2:105:3
2:0:1:1:1:3:4:3
2:0:1:1:1:3:2:0
2:0:1:1:1:3:6:0
2:0:1:1:1:3:105:0
2:0:1:1:1:3:16:0
)";

constexpr const char* cpu_prv = R"(#Paraver (19/01/38 at 03:14):00000000000000000003_ns:0:1:1(3:1)
2:0:1:1:1:0:2:4321
2:0:1:1:1:0:1:4321
2:0:1:1:1:0:3:1
2:0:1:1:1:0:7:0
2:0:1:1:1:0:105:0
2:0:1:1:1:0:106:0
2:0:1:1:1:0:15:0
2:0:1:1:1:0:10:0
2:0:1:1:1:0:11:0
2:0:1:1:1:0:12:0
2:0:1:1:1:0:13:0
2:0:1:1:1:0:14:0
2:0:1:1:1:0:16:100
2:0:1:1:1:2:105:3
2:0:1:1:1:3:2:0
2:0:1:1:1:3:1:0
2:0:1:1:1:3:3:0
2:0:1:1:1:3:105:0
2:0:1:1:1:3:16:101
)";

// A sink of one process that has begun.
class Output {
 public:
    Output(const std::filesystem::path& directory, const Schema& schema) : sink_(directory) {
        plan_.schema = schema;
        sink_.begin(alone_, plan_);
    }
    void write(std::span<const Record> records) {
        sink_.share({records, {}, {}});
        sink_.write({records, {}, {}});
    }
    void end(const Schema& schema, int64_t duration, Ending ending) {
        sink_.end({schema, duration, ending, Facts(), TrafficRows(), nlohmann::ordered_json()});
    }

 private:
    Ranks alone_;
    Plan plan_;
    PrvSink sink_;
};

void write_trace(const std::filesystem::path& directory, const std::vector<Record>& records, int64_t duration,
                 Ending ending) {
    Output output(directory, small_schema());
    output.write(records);
    output.end(small_schema(), duration, ending);
}

class PrvSinkTest : public SinkTest {};

TEST_F(PrvSinkTest, WritesBothTracesWithTheirSideFiles) {
    write_trace(directory, small_trace(), 3, Ending::complete);
    EXPECT_THAT(names(),
                ElementsAre("cpu.pcf", "cpu.prv", "cpu.row", "thread.pcf", "thread.prv", "thread.row"));
    EXPECT_EQ(text("thread.prv"), thread_prv);
    EXPECT_EQ(text("cpu.prv"), cpu_prv);
    EXPECT_EQ(text("thread.pcf"), pcf_text(small_schema().thread));
    EXPECT_EQ(text("cpu.row"), row_text(small_schema().cpu));
}

TEST_F(PrvSinkTest, WritesLabelsThatCameWhileItWasWriting) {
    Output sink(directory, small_schema());
    sink.write(small_trace());
    Schema later = small_schema();
    later.thread.types.push_back({25, "MPI function of the RUNNING thread", {{1, "MPI_Init"}}});
    later.thread.colors = {{1001, 1, 2, 3}};
    sink.end(later, 3, Ending::complete);
    EXPECT_EQ(text("thread.pcf"), pcf_text(later.thread));
}

TEST_F(PrvSinkTest, SystemWithoutRowsIsATrace) {
    Schema empty;
    empty.thread.name = "thread";
    empty.cpu.name = "cpu";
    Output sink(directory, empty);
    sink.end(empty, 0, Ending::complete);
    EXPECT_EQ(text("thread.prv"), prv_header(0, 0));
    EXPECT_EQ(text("cpu.row"), "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE 0\n");
}

TEST_F(PrvSinkTest, MoreThanABufferGoesThroughInAnyBlocks) {
    std::vector<Record> records;
    std::string expected = prv_header(1, 50'000);
    for (int64_t time = 0; time < 50'000; ++time) {
        records.push_back(line(time, 4, time * 1'000'003, 0));
        expected += "2:0:1:1:1:" + std::to_string(time) + ":4:" + std::to_string(time * 1'000'003) + "\n";
    }
    Output sink(directory, small_schema());
    std::span<const Record> all(records);
    sink.write(all.first(1));
    sink.write({});
    sink.write(all.subspan(1, 30'000));
    sink.write(all.subspan(30'001));
    sink.end(small_schema(), 50'000, Ending::complete);
    EXPECT_TRUE(text("thread.prv") == expected);
    EXPECT_EQ(text("cpu.prv"), prv_header(3, 50'000));
}

TEST_F(PrvSinkTest, PartialOutputHasNamesOfItsOwnAndOldOutputsStay) {
    for (const char* name : {"thread.prv", "thread.pcf", "cpu.prv", "cpu.row"})
        write_file(directory / name, "old");
    write_trace(directory, small_trace(), 3, Ending::partial);
    EXPECT_THAT(names(), ElementsAre("cpu.partial.pcf", "cpu.partial.prv", "cpu.partial.row", "cpu.prv",
                                     "cpu.row", "thread.partial.pcf", "thread.partial.prv",
                                     "thread.partial.row", "thread.pcf", "thread.prv"));
    EXPECT_EQ(text("thread.partial.prv"), thread_prv);
    EXPECT_EQ(text("thread.partial.pcf"), pcf_text(small_schema().thread));
    for (const char* name : {"thread.prv", "thread.pcf", "cpu.prv", "cpu.row"}) EXPECT_EQ(text(name), "old");
}

TEST_F(PrvSinkTest, CompleteOutputRemovesPartialOnesOfItsNames) {
    write_trace(directory, small_trace(), 3, Ending::partial);
    write_file(directory / "nosv-breakdown.partial.prv", "of another output");
    write_trace(directory, small_trace(), 3, Ending::complete);
    EXPECT_THAT(names(), ElementsAre("cpu.pcf", "cpu.prv", "cpu.row", "nosv-breakdown.partial.prv",
                                     "thread.pcf", "thread.prv", "thread.row"));
}

TEST_F(PrvSinkTest, CompleteOutputReplacesOldOnes) {
    for (const char* name : {"thread.prv", "cpu.row"})
        write_file(directory / name, std::string(100'000, 'x'));
    write_trace(directory, small_trace(), 3, Ending::complete);
    EXPECT_EQ(text("thread.prv"), thread_prv);
    EXPECT_EQ(text("cpu.row"), row_text(small_schema().cpu));
}

TEST_F(PrvSinkTest, ASinkThatDoesNotEndLeavesOldOutputsAlone) {
    write_file(directory / "thread.prv", "old");
    {
        Output sink(directory, small_schema());
        sink.write(small_trace());
    }
    EXPECT_THAT(names(), ElementsAre("thread.prv"));
    EXPECT_EQ(text("thread.prv"), "old");
}

TEST_F(PrvSinkTest, MissingDirectoryIsNamed) {
    try {
        Output sink(directory / "nowhere", small_schema());
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_EQ(e.path, (directory / "nowhere/thread.prv").string());
    }
}

TEST_F(PrvSinkTest, NameThatIsTakenByADirectoryIsNamedAndNothingIsLeftBeside) {
    std::filesystem::create_directories(directory / "thread.pcf" / "full");
    try {
        write_trace(directory, small_trace(), 3, Ending::complete);
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_EQ(e.path, (directory / "thread.pcf").string());
    }
    EXPECT_THAT(names(), ElementsAre("thread.pcf"));
}

// The fault that `body` throws if no file may exceed `limit` bytes, by way of a process of its own.
template <class Body>
std::string fault_with_file_limit(rlim_t limit, Body body) {
    int ends[2];
    if (::pipe(ends) != 0) return "no pipe";
    pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        rlimit sizes{limit, limit};
        ::setrlimit(RLIMIT_FSIZE, &sizes);
        std::string said = "nothing thrown";
        try {
            body();
        } catch (const Error& e) {
            said = e.what();
        }
        bool whole = ::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
        ::_exit(whole ? 0 : 1);
    }
    ::close(ends[1]);
    std::string said;
    char part[256];
    for (ssize_t n; (n = ::read(ends[0], part, sizeof part)) > 0;) said.append(part, static_cast<size_t>(n));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? said : "the process died";
}

TEST_F(PrvSinkTest, FullDiskWhileWritingLeavesNothing) {
    std::vector<Record> many(100'000, line(123'456, 4, 1, 0));
    std::string said =
        fault_with_file_limit(200'000, [&] { write_trace(directory, many, 123'456, Ending::complete); });
    EXPECT_THAT(said, HasSubstr("thread.prv"));
    EXPECT_THAT(said, HasSubstr("File too large"));
    EXPECT_THAT(names(), IsEmpty());
}

TEST_F(PrvSinkTest, FullDiskAtTheEndLeavesNothingThatLooksWhole) {
    write_file(directory / "thread.prv", "old");
    // The traces fit, the PCF does not.
    std::string said =
        fault_with_file_limit(600, [&] { write_trace(directory, small_trace(), 3, Ending::complete); });
    EXPECT_THAT(said, HasSubstr("thread.pcf"));
    EXPECT_THAT(names(), ElementsAre("thread.prv"));
    EXPECT_EQ(text("thread.prv"), "old");
}

}  // namespace
}  // namespace ovni
