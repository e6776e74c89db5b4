// Programs run by themselves, by ovnirun, and by ovnirun --detach: the same is expected of all three.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/asan_options.hpp"
#include "tests/support/launchers.hpp"
#include "tests/support/sentences.hpp"
#include "tests/support/started.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ovni::test {

inline const Words signal_log{BUILD_DIR "/tests/signal_log"};

class OvnirunTest : public ::testing::Test {
 protected:
    OvnirunTest() {
        ::setenv("ASAN_OPTIONS", asan_options.c_str(), 1);
        ::setenv("OVNI_TRACEDIR", path("ovni").c_str(), 1);
        // Killed programs leave something that other tests would report.
        ::mkdir(path("shm").c_str(), 0700);
        ::setenv("OVNI_RUNDIR", path("shm").c_str(), 1);
    }
    std::string path(const std::string& name) const { return directory_.path() / name; }
    // Waits up to 20 seconds.
    template <typename Condition>
    static bool becomes_true(Condition condition) {
        for (int i = 0; i < 4000; ++i) {
            if (condition()) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return false;
    }

 private:
    TemporaryDirectory directory_;
};

// The parameter is what stands before the program.
class Launched : public OvnirunTest, public ::testing::WithParamInterface<Words> {
 protected:
    static Words launch(const Words& words) { return GetParam() + words; }
    static bool in_parent() { return GetParam().size() == 1; }
    // The lines of signal_log until the end, which comes through its launcher behind all other signals.
    static std::string signals(Started& program) {
        program.send(SIGRTMIN + 1);
        std::string text = program.rest();
        EXPECT_EQ(program.wait(), 0);
        return text;
    }
};

}  // namespace ovni::test
