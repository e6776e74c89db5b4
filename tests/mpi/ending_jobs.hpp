// Jobs that end badly, or not at all, with their run directories in the directory of the test.
#pragma once

#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "tests/mpi/traced.hpp"
#include "tests/support/started.hpp"

namespace ovni::test {

class JobEnds : public TracedTest {
 protected:
    JobEnds() {
        prepare_for_mpirun();
        ::setenv("OVNI_TRACEDIR", trace_directory().c_str(), 1);
        ::setenv("OVNI_RUNDIR", path("").c_str(), 1);
    }
    static Words job(const Words& words) {
        return Words{"mpirun", "-q", "-n", "2", program("ovnirun")} + words;
    }
    template <class Condition>
    static bool becomes_true(Condition condition) {
        for (int i = 0; i < 2000; ++i) {
            if (condition()) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }
    // mpirun does not wait for what it kills; and it kills ovnirun, too.
    void recover() {
        EXPECT_TRUE(becomes_true([&] {
            run({program("ovnirecover"), "--all", "--yes"});
            for (const auto& place : std::filesystem::directory_iterator(path("")))
                if (place.path().filename().string().starts_with("ovni-") &&
                    !std::filesystem::is_empty(place.path()))
                    return false;
            return true;
        })) << "a run directory is left";
    }
    void expect_trace_of_both_ranks() {
        recover();
        ASSERT_EQ(streams().size(), 2u);
        for (uint32_t stream = 0; stream < 2; ++stream)
            EXPECT_GT(events_of(trace(), stream).size(), 2u) << "of rank " << stream;
        Finished emulated = run({program("ovniemu"), trace_directory()});
        EXPECT_EQ(emulated.status, 0) << emulated.err;
    }
    void expect_first_to_end(const std::string& pattern) {
        for (const Words& tool : {Words{program("ovniemu")}, {program("ovnitop"), "--waiting"}})
            EXPECT_THAT(run(tool + Words{trace_directory()}).err, testing::ContainsRegex(pattern));
    }
    bool both_record() const {
        size_t streams = 0;
        std::error_code none;
        for (const auto& file : std::filesystem::recursive_directory_iterator(trace_directory(), none))
            streams += file.path().filename() == "stream.obs" && file.file_size(none) > 1000;
        return streams == 2;
    }
    std::string script(const std::string& text) const {
        std::ofstream(path("script")) << "#!/bin/bash\n" << text;
        std::filesystem::permissions(path("script"), std::filesystem::perms::owner_all);
        return path("script");
    }
};

}  // namespace ovni::test
