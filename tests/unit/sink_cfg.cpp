#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "sink/paraver/cfg.hpp"
#include "tests/unit/sink_support.hpp"

namespace ovni {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr ViewSpec views[] = {
    {"mpi/function.cfg", "MPI function of the RUNNING thread", 25},
    {"mpi/function.cfg", "MPI function of the RUNNING thread", 25, ViewSpec::Row::cpu},
    {"ovni/number-running-threads.cfg", "Number of RUNNING threads", 3, ViewSpec::Row::cpu,
     ViewSpec::Colors::gradient},
};
const ModelSpec model = [] {
    ModelSpec spec;
    spec.id = 'M';
    spec.views = views;
    return spec;
}();
const ModelSpec* const models[] = {&model};

class CfgTest : public SinkTest {
 protected:
    CfgTest() { ::unsetenv("OVNI_CONFIG_DIR"); }
    ~CfgTest() override { ::unsetenv("OVNI_CONFIG_DIR"); }
};

TEST_F(CfgTest, EachViewIsAFile) {
    write_views(directory, models);
    EXPECT_THAT(names(), ElementsAre("cfg"));
    EXPECT_EQ(text("cfg/thread/mpi/function.cfg"), view_text(views[0]));
    EXPECT_EQ(text("cfg/cpu/mpi/function.cfg"), view_text(views[1]));
    EXPECT_EQ(text("cfg/cpu/ovni/number-running-threads.cfg"), view_text(views[2]));
}

TEST_F(CfgTest, ViewShowsTheLastValueOfItsType) {
    std::string text = view_text(views[0]);
    EXPECT_THAT(text, StartsWith("#ParaverCFG\nConfigFile.Version: 3.4\nConfigFile.NumWindows: 1\n"));
    for (const char* part :
         {"\nwindow_name Thread: MPI function of the RUNNING thread\n", "\nwindow_type single\n",
          "\nwindow_level thread\n", "\nwindow_color_mode window_in_code_mode\n",
          "\nwindow_object appl { 1, { All } }\n", "{thread, Last Evt Val}",
          "{evt_type, =}, {evt_value, All} } }\n", "{topcompose2, As Is} } }\n",
          "\nwindow_filter_module evt_type 1 25\n",
          "\nwindow_filter_module evt_type_label 1 \"MPI function of the RUNNING thread\"\n"})
        EXPECT_THAT(text, HasSubstr(part));
}

TEST_F(CfgTest, AViewOfCpusMayHaveAGradient) {
    std::string text = view_text(views[2]);
    EXPECT_THAT(text, HasSubstr("\nwindow_name CPU: Number of RUNNING threads\n"));
    EXPECT_THAT(text, HasSubstr("\nwindow_color_mode window_in_null_gradient_mode\n"));
}

TEST_F(CfgTest, DirectoryThatExistsIsLeftAlone) {
    std::filesystem::create_directory(directory / "cfg");
    write_file(directory / "cfg/mine.cfg", "mine");
    testing::internal::CaptureStderr();
    write_views(directory, models);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("WARN: " + (directory / "cfg").string()));
    EXPECT_THAT(names(), ElementsAre("cfg"));
    EXPECT_FALSE(std::filesystem::exists(directory / "cfg/thread"));
    EXPECT_EQ(text("cfg/mine.cfg"), "mine");
}

TEST_F(CfgTest, DirectoryOfAnEarlierEmulationIsNotWorthAWord) {
    write_views(directory, models);
    testing::internal::CaptureStderr();
    write_views(directory, models);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    write_file(directory / "cfg/thread/mpi/function.cfg", "mine");
    testing::internal::CaptureStderr();
    write_views(directory, models);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("exists already"));
    EXPECT_EQ(text("cfg/thread/mpi/function.cfg"), "mine");
}

TEST_F(CfgTest, GivenDirectoryIsCopied) {
    std::filesystem::create_directories(directory / "given/thread/mine");
    write_file(directory / "given/thread/mine/view.cfg", "mine");
    std::filesystem::create_directory(directory / "trace");
    ::setenv("OVNI_CONFIG_DIR", (directory / "given").c_str(), 1);
    write_views(directory / "trace", models);
    EXPECT_EQ(text("trace/cfg/thread/mine/view.cfg"), "mine");
    EXPECT_FALSE(std::filesystem::exists(directory / "trace/cfg/cpu"));
}

TEST_F(CfgTest, AFailureNamesTheFinalDirectory) {
    write_file(directory / "file", "");
    try {
        write_views(directory / "file", models);
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_EQ(e.path, (directory / "file/cfg").string());
    }
}

TEST_F(CfgTest, GivenDirectoryThatIsMissingIsNamedAndLeavesNothing) {
    ::setenv("OVNI_CONFIG_DIR", (directory / "nowhere").c_str(), 1);
    try {
        write_views(directory, models);
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_EQ(e.path, (directory / "nowhere").string());
    }
    EXPECT_THAT(names(), IsEmpty());
}

TEST_F(CfgTest, CallersHaveAViewPerLevel) {
    write_views(directory, models);
    Plan plan;
    plan.schema.thread.types_of_expansions = {{prv_type::caller + 2, "Caller at level 2", {}},
                                              {prv_type::caller_line + 2, "Caller line at level 2", {}}};
    write_trace_views(directory, plan);
    EXPECT_THAT(text("cfg/thread/mpi/caller-2.cfg"), HasSubstr("evt_type 1 70000002\n"));
    EXPECT_THAT(text("cfg/thread/mpi/caller-line-2.cfg"), HasSubstr("evt_type 1 80000002\n"));
}

}  // namespace
}  // namespace ovni
