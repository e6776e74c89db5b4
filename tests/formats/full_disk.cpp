// Outputs for other viewers on a disk that becomes full: an error that names the output, and nothing is left.
#include "tests/formats/formats.hpp"
#include "tests/mpi/emulator_test.hpp"
#include "tests/mpi/small_disk.hpp"

namespace ovni::test {
namespace {

struct FullDiskCase {
    std::string option, file;
};
void PrintTo(const FullDiskCase& output, std::ostream* out) {
    *out << output.option;
}
const FullDiskCase outputs[] = {{"html", "page.html"},
                                {"hdf5", "trace.h5"},
                                {"perfetto", "trace.pftrace"},
                                {"otf2", "trace.otf2"},
                                {"paje", "trace.paje"}};

class FullDisk : public DistributedTest, public testing::WithParamInterface<FullDiskCase> {
 protected:
    void SetUp() override {
        fs::create_directories(disk_.path());
        if (const std::string fault = disk_.fault(); !fault.empty()) GTEST_SKIP() << fault;
        const Finished known = run({program("ovniemu"), "--empty-ok", "--" + GetParam().option,
                                    output("probe").string(), disk_.path().string()});
        if (known.err.find("this build has no") != std::string::npos) GTEST_SKIP() << known.err;
    }
    void expect_error_with_room_for(int kilobytes, const std::string& emulator, const fs::path& directory) {
        SCOPED_TRACE(std::to_string(kilobytes) + " KiB, " + emulator);
        const std::string file = disk_.path() / GetParam().file;
        const Finished done =
            disk_.run_with_room_for(kilobytes, emulator + " -o " + output("paraver").string() + " --" +
                                                   GetParam().option + " " + file + " " + directory.string());
        EXPECT_EQ(done.status, 1) << done.err;
        EXPECT_THAT(done.err, HasSubstr("ERROR: "));
        EXPECT_THAT(done.err, HasSubstr(file));
        EXPECT_EQ(done.out, "fill\n") << done.err;
    }

 private:
    const SmallDisk disk_{output("disk")};
};

TEST_P(FullDisk, AFullDiskIsAnErrorAndLeavesNothing) {
    build(trace_, {.seed = 51, .looms = 2, .events = 20'000});
    const fs::path directory = trace_.write();
    for (const int kilobytes : {0, 8, 60})
        expect_error_with_room_for(kilobytes, program("ovniemu"), directory);
    expect_error_with_room_for(8, "mpirun -n 2 " + program("ovniemu-mpi"), directory);
}

INSTANTIATE_TEST_SUITE_P(Formats, FullDisk, testing::ValuesIn(outputs),
                         [](const auto& output) { return output.param.option; });

}  // namespace
}  // namespace ovni::test
