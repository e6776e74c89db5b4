// Outputs that both emulators refuse to write, before they write anything.
#include <fstream>

#include "tests/mpi/emulator_test.hpp"

namespace ovni::test {
namespace {

class OutputsTest : public DistributedTest {
 protected:
    void SetUp() override {
        trace_.thread().starts(10).ends(20);
        directory_ = trace_.write();
        stream_ = directory_ / "loom.node0.a/proc.1/thread.1";
        fs::create_directories(output("out"));
    }
    static std::map<std::string, std::string> files_in(const fs::path& directory) {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::recursive_directory_iterator(directory))
            files[entry.path()] = entry.is_regular_file() ? read_file(entry.path()) : "";
        return files;
    }
    fs::path everything() { return output("out").parent_path(); }
    // An emulation with outputs in the directory "out" is refused, and nothing changes.
    void expect_refused(int status, const std::vector<std::string>& options,
                        const std::vector<std::string>& words) {
        expect_refused(status, words, [&] { return serial(directory_, output("out"), options); });
    }
    void expect_both_refuse(int status, const std::vector<std::string>& options,
                            const std::vector<std::string>& words) {
        expect_refused(status, options, words);
        expect_refused(status, words, [&] { return distributed(2, directory_, output("out"), options); });
    }
    template <class Emulation>
    void expect_refused(int status, const std::vector<std::string>& words, Emulation emulate) {
        auto outputs = files_in(everything()), trace = files_in(directory_);
        Finished done = emulate();
        EXPECT_EQ(done.status, status) << done.err;
        for (const std::string& word : words) EXPECT_THAT(done.err, HasSubstr(word));
        EXPECT_THAT(done.err, Not(HasSubstr("loaded 1 streams")));
        EXPECT_EQ(files_in(everything()), outputs);
        EXPECT_EQ(files_in(directory_), trace);
    }

    fs::path directory_, stream_;
};

TEST_F(OutputsTest, TwoOutputsInOneFileAreRefused) {
    const std::string same = output("same"), link = output("link"), prv = output("out") / "thread.prv";
    expect_both_refuse(2, {"--hdf5", same, "--report", same}, {"--hdf5", "--report", "are the same file"});
    expect_refused(2, {"--hdf5", same, "--report", output("out") / "../same"}, {"are the same file"});
    fs::create_directory_symlink(everything(), output("out/up"));
    expect_refused(2, {"--hdf5", same, "--report", output("out") / "up/same"}, {"are the same file"});
    expect_both_refuse(2, {"--hdf5", prv}, {"--hdf5", prv, "are the same file"});
    expect_refused(2, {"--report", output("out") / "cpu.partial.row"}, {"are the same file"});
    expect_refused(2, {"-b", "--report", output("out") / "nosv-breakdown.pcf"}, {"are the same file"});
    expect_refused(2, {"--report", same, "--hdf5", same + ".partial"}, {"the partial file of --report"});
    std::ofstream(same) << "older";
    fs::create_symlink(same, link);
    expect_refused(2, {"--hdf5", same, "--report", link}, {link, "are the same file"});
}

TEST_F(OutputsTest, OutputsInEachOthersWayAreRefused) {
    expect_refused(2, {"--report", output("out") / "cfg"}, {"the directory", "are the same file"});
    fs::remove(output("out"));
    expect_refused(2, {"--report", output("out")}, {"-o", "are the same file"});
    Finished done = serial(directory_, output("new/out"), {"--report", output("new")});
    EXPECT_EQ(done.status, 2) << done.err;
    EXPECT_THAT(done.err, HasSubstr("is in the way of -o"));
}

TEST_F(OutputsTest, DirectoriesInPlaceOfOutputsAreRefused) {
    fs::create_directories(output("d.json"));
    expect_both_refuse(1, {"--report", output("d.json")}, {"d.json: is a directory"});
    expect_refused(1, {"--hdf5", output("d.json")}, {"d.json: is a directory"});
    fs::create_directories(output("out") / "cpu.pcf");
    expect_both_refuse(1, {}, {"cpu.pcf: is a directory"});
}

TEST_F(OutputsTest, OutputsOverWhatIsReadAreRefused) {
    const std::string table = output("t.txt");
    std::ofstream(table) << "rank hostname offset_median offset_mean offset_std\n0 node0 0 0 0\n";
    expect_both_refuse(1, {"-c", table, "--report", table}, {"--report would overwrite -c " + table});
    for (const char* name : {"stream.obs", "stream.json", "stream.gaps.json", "stream.crc"}) {
        expect_refused(1, {"--report", stream_ / name}, {"--report would be the ", name});
        expect_both_refuse(1, {"--hdf5", stream_ / name}, {"--hdf5 would be the ", name});
    }
    expect_refused(1, {"--report", directory_ / "stream.json"}, {"of a stream"});
    for (const char* name : {"clocks.json", "clock-offsets.txt"})
        expect_refused(1, {"--report", directory_ / name}, {"would overwrite the clocks of the trace"});
    fs::create_symlink(stream_ / "stream.obs", output("out") / "thread.row");
    expect_refused(1, {}, {"thread.row: the output would be the ", "stream.obs"});
    fs::remove(output("out") / "thread.row");
    fs::create_symlink(stream_ / "stream.json", output("r.json"));
    expect_refused(1, {"--report", output("r.json")}, {"r.json: --report would be the "});
}

TEST_F(OutputsTest, ReplaceOlderOnes) {
    const std::vector<std::string> options{"--report", output("r.json")};
    for (int times = 0; times < 2; ++times) {
        EXPECT_EQ(serial(directory_, output("out"), options).status, 0);
        EXPECT_EQ(distributed(2, directory_, output("out"), options).status, 0);
        EXPECT_EQ(serial(directory_, directory_, {"--report", directory_ / "r.json"}).status, 0);
    }
}

TEST_F(OutputsTest, TheCostInTheFileOfAnotherOutputIsRefused) {
    const std::string same = output("same");
    Finished done = distributed(2, directory_, output("out"), {"--statistics", same, "--report", same});
    EXPECT_EQ(done.status, 2) << done.err;
    EXPECT_THAT(done.err, HasSubstr("--statistics"));
    EXPECT_FALSE(fs::exists(same));
}

}  // namespace
}  // namespace ovni::test
