// A part that options choose: any number of ranks shows what one process shows of its cut.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/mpi/emulator_test.hpp"
#include "tests/support/random_regions.hpp"

namespace ovni::test {
namespace {

class DistributedFocusTest : public DistributedTest {
 protected:
    void expect_shown_as_cut(const std::vector<std::string>& focus) {
        SCOPED_TRACE(fmt::format("{}", fmt::join(focus, " ")));
        const fs::path whole = trace_.write();
        const std::string number = std::to_string(++count_);
        const fs::path part = output("cut" + number), expected = output("expected" + number);
        std::vector<std::string> cutting = {program("ovnicut"), whole, "-o", part};
        cutting.insert(cutting.end(), focus.begin(), focus.end());
        ASSERT_EQ(run(cutting).status, 0);
        ASSERT_EQ(serial(part, expected, {"--report", expected / "report.json"}).status, 0);
        for (const Workers& workers : every_sharing) {
            const fs::path out = output(fmt::format("out{}.{}", number, workers.name()));
            std::vector<std::string> options = focus;
            options.insert(options.end(), {"--report", out / "report.json"});
            Finished done = shared(workers, whole, out, options);
            ASSERT_EQ(done.status, 0) << done.err;
            move_report(out, whole);
            if (&workers == every_sharing) move_report(expected, whole);
            expect_same(expected, out);
            expect_no_private_files();
        }
    }
    void expect_no_private_files() {
        for (const auto& entry : fs::directory_iterator(output("").parent_path()))
            EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr(".part")));
    }

 private:
    // The report, without which part it is of, as if the trace lay in `whole`.
    static void move_report(const fs::path& directory, const fs::path& whole) {
        nlohmann::json report = nlohmann::json::parse(read_file(directory / "report.json"));
        report.erase("part");
        report["trace"]["directory"] = whole.string();
        write_file(directory / "report.json", report.dump());
    }

    int count_ = 0;
};

TEST_F(DistributedFocusTest, RegionsOfRanksAreShownAsTheyAreCut) {
    build_regions(trace_, 5, 6);
    expect_shown_as_cut({"--region", "solve#2"});
    expect_shown_as_cut({"--region", "halo", "--ranks", "1-4"});
}

TEST_F(DistributedFocusTest, TimesOfARandomTraceAreShownAsTheyAreCut) {
    build(trace_, {.seed = 51, .looms = 5, .punctual = false, .models = every_model});
    expect_shown_as_cut({"--from", "500ns", "--to", "3us"});
}

TEST_F(DistributedFocusTest, WhatIsNotThereIsAnErrorOfAll) {
    build_regions(trace_, 6, 4);
    const fs::path whole = trace_.write();
    Finished done = distributed(3, whole, output("refused"), {"--region", "hallo"});
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(message(done.err), HasSubstr("there is no region 'hallo'; there are halo, output, solve"));
    EXPECT_EQ(distributed(2, whole, output("refused"), {"--ranks", "2-1"}).status, 2);
    done = run({"mpirun", "-n", "2", program("ovniemu-mpi"), "--local", whole, "-o", output("refused"),
                "--ranks", "1"},
               mpi_environment);
    EXPECT_EQ(done.status, 2);
    EXPECT_THAT(done.err, HasSubstr("--local reads all of a trace"));
    expect_no_private_files();
}

}  // namespace
}  // namespace ovni::test
