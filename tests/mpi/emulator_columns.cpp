// --hdf5: the columns say what the Paraver files say, and are the same from any number of ranks.
#include <csignal>
#include <fstream>
#include <thread>

#include "tests/mpi/emulator_test.hpp"
#include "tests/mpi/small_disk.hpp"
#include "tests/support/started.hpp"

namespace ovni::test {
namespace {

bool has_h5py() {
    static const bool has = run({"/usr/bin/python3", "-c", "import h5py, numpy"}).status == 0;
    return has;
}

class ColumnsTest : public DistributedTest {
 protected:
    void SetUp() override {
        if (!has_h5py()) GTEST_SKIP() << "there is no h5py";
        Finished built = run({program("ovniemu"), "--hdf5", "/nowhere/x.h5", "/nowhere"});
        if (built.err.find("no HDF5") != std::string::npos) GTEST_SKIP() << built.err;
    }
    // Nothing where the file agrees with the outputs, and with another file.
    static std::string differences(const fs::path& file, const fs::path& outputs,
                                   const fs::path& other = {}) {
        std::vector<std::string> words{"/usr/bin/python3", SOURCE_DIR "/tests/mpi/columns_as_prv.py",
                                       file.string(), outputs.string()};
        if (!other.empty()) words.push_back(other.string());
        Finished done = run(words);
        return done.status == 0 ? "" : done.err;
    }
    std::vector<std::string> columns_to(const std::string& name, std::vector<std::string> options = {}) {
        options.insert(options.end(), {"--hdf5", output(name).string()});
        return options;
    }
    // Rank 0 sends them to rank 1, 10 ns each; there is a rank 2. Then all are in barriers, the last rank as
    // the last.
    void add_messages(int messages, int barriers = 0) {
        constexpr int ranks_of_trace = 3, bytes = 1000;
        constexpr int64_t step = 10;
        for (int rank = 0; rank < ranks_of_trace; ++rank) {
            StreamBuilder& stream = trace_.thread({.loom = "node" + std::to_string(rank) + ".a",
                                                   .pid = rank + 1,
                                                   .tid = rank + 1,
                                                   .rank = rank,
                                                   .nranks = ranks_of_trace,
                                                   .require = {{"ovni", "1.1.0"}, {"mpi", "1.1.0"}}});
            stream.set("ovni.run", "a-run").starts(1).event("MUi", 2).event("MUI", 3);
            for (int i = 0; rank < 2 && i < messages; ++i) {
                const int64_t clock = step * (i + 1) + rank;
                const bool sends = rank == 0;
                const int peer = 1 - rank;
                stream
                    .event(sends ? EventCode("MS[") : EventCode("MR["), clock, {peer, i % 3, u32(1), u32(0)})
                    .event(sends ? EventCode("MS]") : EventCode("MR]"), clock + 2, {u64(bytes), peer, i % 3});
            }
            for (int i = 0; i < barriers; ++i) {
                const int64_t clock = step * (messages + 2 + i);
                stream.event("MCb", clock + rank, {-1, u32(1), u64(0)}).event("MCB", clock + 3, {u64(0)});
            }
            const int64_t end = step * (messages + barriers + 2);
            stream.event("MUf", end).event("MUF", end + 1).ends(end + step);
        }
    }
    // Without the header, which says how long the trace is.
    static std::string body_of(const fs::path& prv) {
        const std::string text = read_file(prv);
        return text.substr(text.find('\n') + 1);
    }
    // Columns of a trace with a wrong event agree with the other outputs, which have names of their own.
    void expect_partial_columns() {
        fs::path directory = trace_.write();
        for (int ranks : {0, 2}) {
            fs::path out = output("out" + std::to_string(ranks)), file = out / "x.h5";
            std::vector<std::string> options{"--hdf5", file.string()};
            fs::create_directories(out);
            std::ofstream(file) << "of an earlier emulation";
            Finished done =
                ranks == 0 ? serial(directory, out, options) : distributed(ranks, directory, out, options);
            EXPECT_EQ(done.status, 1);
            EXPECT_EQ(read_file(file), "of an earlier emulation");
            fs::rename(out / "thread.partial.prv", out / "thread.prv");
            fs::rename(out / "cpu.partial.prv", out / "cpu.prv");
            for (const char* side : {"thread", "cpu"})
                for (const char* kind : {".pcf", ".row"})
                    fs::rename(out / (side + std::string(".partial") + kind),
                               out / (side + std::string(kind)));
            EXPECT_EQ(differences(out / "x.partial.h5", out), "");
        }
    }
    // Columns have the same bytes, however the work is shared.
    void expect_same_columns(const std::vector<std::string>& options) {
        fs::path directory = trace_.write();
        Finished expected = serial(directory, output("serial"), columns_to("serial.h5", options));
        ASSERT_EQ(expected.status, 0) << expected.err;
        EXPECT_EQ(differences(output("serial.h5"), output("serial")), "");
        for (const Workers& workers : every_sharing) {
            const std::string name = workers.name();
            Finished done = shared(workers, directory, output(name), columns_to(name + ".h5", options),
                                   {"OVNI_TEST_WINDOW=" + std::to_string(workers.number * 300)});
            ASSERT_EQ(done.status, 0) << done.err;
            EXPECT_EQ(differences(output(name + ".h5"), output(name), output("serial.h5")), "");
            EXPECT_TRUE(read_file(output(name + ".h5")) == read_file(output("serial.h5"))) << name;
            expect_same(output("serial"), output(name));
        }
    }
};

TEST_F(ColumnsTest, SayWhatTheLinesSay) {
    build(trace_,
          {.seed = 21, .looms = 3, .events = 2500, .models = every_model, .hosts = 2, .clock_offsets = true});
    expect_same_columns({"-b"});
}

TEST_F(ColumnsTest, ColumnsHaveTheGaps) {
    build(trace_, {.seed = 25, .looms = 2});
    StreamBuilder& stream = trace_.thread({.loom = "gaps", .pid = 5, .tid = 5, .rank = 900, .nranks = 901});
    stream.starts(1000, -1).gap(1500, 1700).event("OB.", 1800).gap(2000, 2500).ends(3000);
    expect_same_columns({});
}

TEST_F(ColumnsTest, ColumnsHaveTheRegionsOfTheReport) {
    constexpr int solve = 7, halo = 8;
    for (int rank = 0; rank < 3; ++rank) {
        StreamBuilder& stream = trace_.thread({.loom = "node" + std::to_string(rank) + ".a",
                                               .pid = rank + 1,
                                               .tid = rank + 1,
                                               .rank = rank,
                                               .nranks = 3});
        stream.mark(99, "stack", "region", {{solve, "solve"}, {halo, "halo"}}).starts(1);
        for (int visit = 0; visit <= rank; ++visit)
            stream.event("OM[", 100 * visit + 10, {i64(solve), 99})
                .event("OM[", 100 * visit + 20, {i64(halo), 99})
                .event("OM]", 100 * visit + 50, {i64(halo), 99})
                .event("OM]", 100 * visit + 90, {i64(solve), 99});
        stream.ends(1000);
    }
    const fs::path directory = trace_.write();
    const std::string compare =
        "import h5py, json, sys\n"
        "report, file = json.load(open(sys.argv[1])), h5py.File(sys.argv[2])\n"
        "told = [(p, r['region'].encode(), r['visits'], r['inclusive'], r['exclusive'])\n"
        "        for p, of in enumerate(report['processes']) for r in of['regions']]\n"
        "names = 'process', 'region', 'visits', 'inclusive', 'exclusive'\n"
        "print(sorted(tuple(row[name] for name in names) for row in file['regions']) == sorted(told), "
        "len(told))\n";
    const fs::path report = output("report.json");
    ASSERT_EQ(serial(directory, output("report"), {"--report", report.string()}).status, 0);
    for (int ranks : {0, 3}) {
        const std::string name = "regions" + std::to_string(ranks);
        const Finished done = ranks == 0
                                  ? serial(directory, output(name), columns_to(name + ".h5"))
                                  : distributed(ranks, directory, output(name), columns_to(name + ".h5"));
        ASSERT_EQ(done.status, 0) << done.err;
        const Finished told =
            run({"/usr/bin/python3", "-c", compare, report.string(), output(name + ".h5").string()});
        EXPECT_EQ(told.out, "True 6\n") << told.err;
    }
}

// The columns are those of the report's members.
TEST_F(ColumnsTest, SayWhatIsMissing) {
    build(trace_, {.seed = 26, .looms = 2});
    trace_.thread({.loom = "x", .pid = 5, .tid = 5, .rank = 0, .nranks = 3, .directory = "x"})
        .set("ovni.app_id", 7)
        .set("ovni.end", {{"by", "signal"}, {"code", 9}})
        .starts(1000, -1);
    StreamBuilder& bare = trace_.thread({.loom = "y", .pid = 6, .tid = 6, .directory = "y"});
    bare.starts(1000, -1).ends(2000);
    fs::path directory = trace_.write();
    fs::remove(directory / "y/stream.json");
    const std::string compare =
        "import h5py, json, sys\n"
        "file, report = h5py.File(sys.argv[1]), json.load(open(sys.argv[2]))\n"
        "def plain(v): return v.decode() if isinstance(v, bytes) else int(v)\n"
        "def known(v, of): return of if v is None else v\n"
        "for name in 'damages', 'missing_ranks', 'ended_by_force':\n"
        "    rows = [dict(zip(file[name].dtype.names, map(plain, row))) for row in file[name][:]]\n"
        "    members = [{k: known(v, '' if k == 'stream' else -1) for k, v in m.items()}\n"
        "               for m in report[name] or []]\n"
        "    print(name, len(rows), rows == members)\n";
    for (int ranks : {0, 3}) {
        for (const std::string option : {"--report", "--keep-going"}) {
            std::string name = option + std::to_string(ranks);
            fs::path report = output(name + ".json");
            std::vector<std::string> options = columns_to(name + ".h5", {"--report", report.string()});
            if (option == "--keep-going") options.push_back(option);
            Finished done = ranks == 0 ? serial(directory, output(name), options)
                                       : distributed(ranks, directory, output(name), options);
            ASSERT_EQ(done.status, 0) << done.err;
            Finished compared =
                run({"/usr/bin/python3", "-c", compare, output(name + ".h5").string(), report.string()});
            EXPECT_EQ(compared.out, std::string("damages ") + (option == "--keep-going" ? "2" : "0") +
                                        " True\nmissing_ranks 1 True\nended_by_force 1 True\n")
                << compared.err << read_file(report);
        }
    }
}

TEST_F(ColumnsTest, GoOnBeyondOneChunk) {
    build(trace_, {.seed = 22, .looms = 2, .processes = 1, .events = 20'000, .models = "OV"});
    fs::path directory = trace_.write();
    ASSERT_EQ(serial(directory, output("serial"), columns_to("serial.h5")).status, 0);
    EXPECT_EQ(differences(output("serial.h5"), output("serial")), "");
    for (int ranks : {2, 3}) {
        std::string name = "ranks" + std::to_string(ranks);
        ASSERT_EQ(distributed(ranks, directory, output(name), columns_to(name + ".h5")).status, 0);
        EXPECT_EQ(differences(output(name + ".h5"), output(name), output("serial.h5")), "");
        EXPECT_TRUE(read_file(output(name + ".h5")) == read_file(output("serial.h5"))) << name;
    }
}

// More messages than a chunk has rows.
TEST_F(ColumnsTest, ColumnsHaveTheMessages) {
    add_messages(20'000);
    expect_same_columns({});
    const std::string count =
        "import h5py, sys\n"
        "m = h5py.File(sys.argv[1])['messages'][:]\n"
        "print(len(m), m['bytes'].sum(), m['communicator'].max(), m['tag'].max(), m['receiver'].min())";
    Finished counted = run({"/usr/bin/python3", "-c", count, output("serial.h5").string()});
    EXPECT_EQ(counted.out, "20000 20000000 1 2 1\n") << counted.err;
    ASSERT_EQ(serial(trace_.write(), output("none"), columns_to("none.h5", {"--no-messages"})).status, 0);
    Finished absent =
        run({"/usr/bin/python3", "-c", "import h5py, sys; print('messages' in h5py.File(sys.argv[1]))",
             output("none.h5").string()});
    EXPECT_EQ(absent.out, "False\n") << absent.err;
}

// More waits, and members of collectives, than a chunk has rows.
TEST_F(ColumnsTest, ColumnsHaveTheWaitsAndCollectives) {
    add_messages(20'000, 6'000);
    expect_same_columns({});
    const fs::path directory = trace_.path(), report = output("report.json");
    ASSERT_EQ(serial(directory, output("report"), {"--report", report.string()}).status, 0);
    const Finished tables = run({program("ovnitop"), "--waits", directory.string()});
    ASSERT_EQ(tables.status, 0) << tables.err;
    std::ofstream(output("waits.txt")) << tables.out;
    const Finished compared =
        run({"/usr/bin/python3", std::string(SOURCE_DIR) + "/tests/mpi/columns_as_waits.py",
             output("serial.h5").string(), output("waits.txt").string(), report.string()});
    EXPECT_EQ(compared.status, 0) << compared.err;
    EXPECT_EQ(compared.out, "32000 waits, 6000 collectives of 18000 members\n");
}

TEST_F(ColumnsTest, WaitsBeforeAWrongEventAreKept) {
    add_messages(1000);
    trace_.thread({.loom = "bad", .pid = 9, .tid = 9}).starts(10).event("OHr", 5005);
    expect_partial_columns();
    const std::string count = "import h5py, sys; print(len(h5py.File(sys.argv[1])['waits']))";
    for (const char* out : {"out0", "out2"}) {
        Finished counted = run({"/usr/bin/python3", "-c", count, (output(out) / "x.partial.h5").string()});
        EXPECT_EQ(counted.out, "500\n") << counted.err;
    }
}

TEST_F(ColumnsTest, AnEmptyTraceHasEmptyColumns) {
    fs::path directory = trace_.write();
    ASSERT_EQ(serial(directory, output("serial"), columns_to("serial.h5", {"--empty-ok"})).status, 0);
    ASSERT_EQ(distributed(2, directory, output("two"), columns_to("two.h5", {"--empty-ok"})).status, 0);
    EXPECT_EQ(differences(output("two.h5"), output("two"), output("serial.h5")), "");
    const Finished refused = distributed(2, directory, output("none"));
    EXPECT_EQ(refused.status, 1);
    EXPECT_FALSE(fs::exists(output("none"))) << refused.err;
}

TEST_F(ColumnsTest, AWrongEventMakesPartialColumns) {
    build(trace_, {.seed = 23, .events = 500});
    trace_.thread({.loom = "bad", .tid = 9}).starts(10).event("OHr", 2000);
    expect_partial_columns();
}

TEST_F(ColumnsTest, MessagesBeforeAWrongEventAreKept) {
    add_messages(1000);
    trace_.thread({.loom = "bad", .pid = 9, .tid = 9}).starts(10).event("OHr", 5005);
    expect_partial_columns();
    const std::string count = "import h5py, sys; print(len(h5py.File(sys.argv[1])['messages']))";
    Finished counted = run({"/usr/bin/python3", "-c", count, (output("out0") / "x.partial.h5").string()});
    EXPECT_EQ(counted.out, "500\n") << counted.err;
}

TEST_F(ColumnsTest, AFileThatCannotBeMadeIsAnErrorBeforeAnythingElse) {
    trace_.thread().starts(10).ends(20);
    fs::path directory = trace_.write();
    std::vector<std::string> options{"--hdf5", "/proc/nowhere/x.h5"};
    for (const Finished& done :
         {serial(directory, output("one"), options), distributed(2, directory, output("two"), options)}) {
        EXPECT_EQ(done.status, 1);
        EXPECT_THAT(done.err, HasSubstr("/proc/nowhere/x.h5"));
    }
    EXPECT_FALSE(fs::exists(output("one") / "thread.prv"));
    EXPECT_FALSE(fs::exists(output("two") / "thread.prv"));
}

TEST_F(ColumnsTest, LabelsAreUtf8WhateverTheTextsOfTheTrace) {
    trace_.thread({.require = {{"nosv", "2.4.0"}}})
        .starts(100)
        .jumbo("VYc", 150, {u32(1), "caf\xe9"})
        .event("VTc", 160, {u32(1), u32(1)})
        .event("VTx", 200, {u32(1), u32(0)})
        .event("VTe", 300, {u32(1), u32(0)})
        .ends(400);
    fs::path directory = trace_.write(), file = output("x.h5"), report = output("r.json");
    const std::vector<std::string> options{"--hdf5", file.string(), "--report", report.string()};
    const std::string read_labels =
        "import h5py, sys\n"
        "for row in h5py.File(sys.argv[1])['labels'][:]: print(row['label'].decode())";
    for (int ranks : {0, 2}) {
        Finished done = ranks == 0 ? serial(directory, output("out"), options)
                                   : distributed(ranks, directory, output("out"), options);
        ASSERT_EQ(done.status, 0) << done.err;
        Finished labels =
            run({"/usr/bin/python3", "-c", read_labels, file.string()}, {"PYTHONIOENCODING=utf-8"});
        EXPECT_EQ(labels.status, 0) << labels.err;
        EXPECT_THAT(labels.out, HasSubstr("caf\ufffd\n"));
        EXPECT_THAT(read_file(report), HasSubstr("caf\ufffd\""));
        Finished summary = run({SOURCE_DIR "/scripts/plots/summary", file.string()});
        EXPECT_EQ(summary.status, 0) << summary.err;
    }
}

class InterruptedTest : public ColumnsTest, public testing::WithParamInterface<int> {};

INSTANTIATE_TEST_SUITE_P(Threads, InterruptedTest, testing::Values(1, 2), testing::PrintToStringParamName());

// The outputs begin as those of the whole do.
TEST_P(InterruptedTest, KeepsWhatWasEmulatedAndSaysThatItIsNotComplete) {
    constexpr int marks = 400'000;
    for (const char* loom : {"a", "b"}) {
        StreamBuilder& stream = trace_.thread({.loom = loom}).mark(1, "single", "step").starts(10 + loom[0]);
        for (int i = 0; i < marks; ++i) stream.event("OM=", 200 + 2 * i + loom[0] % 2, {i64(1 + i % 2), 1});
        stream.ends(200 + 2 * marks);
    }
    const fs::path directory = trace_.write(), out = output("out"), file = output("x.h5");
    ASSERT_EQ(serial(directory, output("whole")).status, 0);
    const std::string whole = body_of(output("whole") / "thread.prv");
    const std::string read = "import h5py, sys; print(h5py.File(sys.argv[1]).attrs['complete'])";
    constexpr int most_tries = 50;
    for (int tries = 0; tries < most_tries; ++tries) {
        fs::remove(out / "thread.prv");
        Started emulation({program("ovniemu"), "-j", std::to_string(GetParam()), "-o", out.string(), "--hdf5",
                           file.string(), directory.string()});
        const std::string begun = "thread.prv.tmp." + std::to_string(emulation.pid()) + ".";
        const auto has_begun = [&] {
            std::error_code none;
            for (const auto& entry : fs::directory_iterator(out, none))
                if (entry.path().filename().native().starts_with(begun)) return true;
            return false;
        };
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!has_begun() && !fs::exists(out / "thread.prv") && std::chrono::steady_clock::now() < deadline)
            std::this_thread::yield();
        emulation.send(SIGINT);
        EXPECT_EQ(emulation.wait(), 0);
        const std::string body = body_of(out / "thread.prv");
        EXPECT_TRUE(whole.starts_with(body));
        Finished complete = run({"/usr/bin/python3", "-c", read, file.string()});
        ASSERT_EQ(complete.out, body == whole ? "1\n" : "0\n") << complete.err;
        if (body != whole) return;
    }
    GTEST_SKIP() << "the emulator was always done before the signal came";
}

class FullDiskTest : public ColumnsTest {
 protected:
    void SetUp() override {
        ColumnsTest::SetUp();
        if (IsSkipped()) return;
        fs::create_directories(disk_.path());
        if (const std::string fault = disk_.fault(); !fault.empty()) GTEST_SKIP() << fault;
    }
    void expect_error_with_room_for(int kilobytes, const std::string& emulator, const fs::path& directory) {
        const Finished done = disk_.run_with_room_for(
            kilobytes, emulator + " -o " + output("paraver").string() + " --hdf5 " +
                           (disk_.path() / "x.h5").string() + " " + directory.string());
        EXPECT_EQ(done.status, 1) << done.err;
        EXPECT_THAT(done.err, HasSubstr("/x.h5: HDF5: file write failed: No space left on device\n"));
        EXPECT_THAT(done.err, Not(HasSubstr("HDF5-DIAG")));
        EXPECT_EQ(done.out, "fill\n");
    }
    const std::string alone_ = program("ovniemu"), on_ranks_ = "mpirun -n 2 " + program("ovniemu-mpi");

 private:
    const SmallDisk disk_{output("disk")};
};

TEST_F(FullDiskTest, NoRoomAmidTheChunksIsAnError) {
    build(trace_, {.seed = 24, .events = 20'000});
    const fs::path directory = trace_.write();
    for (const std::string& emulator : {alone_, on_ranks_})
        expect_error_with_room_for(300, emulator, directory);
}

// HDF5 writes what it keeps in memory when the file is closed.
TEST_F(FullDiskTest, NoRoomAtTheEndIsAnError) {
    trace_.thread().starts(10).ends(20);
    fs::path directory = trace_.write();
    for (int kilobytes : {0, 4, 12, 20, 24}) expect_error_with_room_for(kilobytes, alone_, directory);
    expect_error_with_room_for(12, on_ranks_, directory);
}

}  // namespace
}  // namespace ovni::test
