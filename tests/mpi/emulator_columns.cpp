// --hdf5: the columns say what the Paraver files say, and are the same from any number of ranks.
#include <fstream>

#include "mpi/emulator_test.hpp"

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
    // The same from one process and from 1 to 4 ranks.
    void expect_same_columns(const std::vector<std::string>& options) {
        fs::path directory = trace_.write();
        Finished expected = serial(directory, output("serial"), columns_to("serial.h5", options));
        ASSERT_EQ(expected.status, 0) << expected.err;
        EXPECT_EQ(differences(output("serial.h5"), output("serial")), "");
        for (int ranks : {1, 2, 3, 4}) {
            std::string name = "ranks" + std::to_string(ranks);
            Finished done = distributed(ranks, directory, output(name), columns_to(name + ".h5", options),
                                        {"OVNI_TEST_WINDOW=" + std::to_string(ranks * 300)});
            ASSERT_EQ(done.status, 0) << done.err;
            EXPECT_EQ(differences(output(name + ".h5"), output(name), output("serial.h5")), "");
            expect_same(output("serial"), output(name));
        }
    }
};

TEST_F(ColumnsTest, SayWhatTheLinesSay) {
    build(trace_,
          {.seed = 21, .looms = 3, .events = 2500, .models = every_model, .hosts = 2, .clock_offsets = true});
    expect_same_columns({"-b"});
}

TEST_F(ColumnsTest, HaveTheGaps) {
    build(trace_, {.seed = 25, .looms = 2});
    StreamBuilder& stream = trace_.thread({.loom = "gaps", .pid = 5, .tid = 5, .rank = 900, .nranks = 901});
    stream.starts(1000, -1).gap(1500, 1700).event("OB.", 1800).gap(2000, 2500).ends(3000);
    expect_same_columns({});
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
    }
}

TEST_F(ColumnsTest, OfAnEmptyTraceAreEmpty) {
    fs::path directory = trace_.write();
    ASSERT_EQ(serial(directory, output("serial"), columns_to("serial.h5")).status, 0);
    ASSERT_EQ(distributed(2, directory, output("two"), columns_to("two.h5")).status, 0);
    EXPECT_EQ(differences(output("two.h5"), output("two"), output("serial.h5")), "");
}

TEST_F(ColumnsTest, OfABadTraceArePartial) {
    build(trace_, {.seed = 23, .events = 500});
    trace_.thread({.loom = "bad", .tid = 9}).starts(10).event("OHr", 2000);
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
                fs::rename(out / (side + std::string(".partial") + kind), out / (side + std::string(kind)));
        EXPECT_EQ(differences(out / "x.partial.h5", out), "");
    }
}

TEST_F(ColumnsTest, ThatCannotBeMadeAreAnErrorBeforeAnythingElse) {
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

TEST_F(ColumnsTest, DoNotFitOnAFullDisk) {
    build(trace_, {.seed = 24, .events = 20'000});
    fs::path directory = trace_.write();
    fs::create_directories(output("disk"));
    fs::create_directories(output("paraver"));
    std::string disk = output("disk").string();
    std::string mount = "mount -t tmpfs -o size=300k none " + disk;
    const std::vector<std::string> unshare = {"unshare", "--user", "--map-root-user", "--mount", "sh", "-c"};
    auto in_namespace = [&](const std::string& command) {
        std::vector<std::string> words = unshare;
        words.push_back(command);
        return run(words, mpi_environment);
    };
    if (Finished probe = in_namespace(mount); probe.status != 0)
        GTEST_SKIP() << "no file system can be mounted here: " << probe.err;
    for (const std::string& emulator : {program("ovniemu"), "mpirun -n 2 " + program("ovniemu-mpi")}) {
        Finished done =
            in_namespace(mount + " && " + emulator + " -o " + output("paraver").string() + " --hdf5 " + disk +
                         "/x.h5 " + directory.string() + "; status=$?; ls -A " + disk + "; exit $status");
        EXPECT_EQ(done.status, 1) << done.err;
        EXPECT_THAT(done.err, HasSubstr("/x.h5: HDF5: "));
        EXPECT_EQ(done.out, "");
    }
}

}  // namespace
}  // namespace ovni::test
