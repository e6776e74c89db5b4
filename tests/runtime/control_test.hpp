// Programs with chains, and what their log says.
#pragma once

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "ovni/control.h"
#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Lines = std::vector<std::string>;

class ControlTest : public RuntimeTest {
 protected:
    ControlTest() { set_environment("OVNI_CONTROL_LOG", log_path()); }
    std::string log_path(const std::string& name = "log") const { return home() / name; }

    // Clock and pid are left out, and tabs are blanks. No code of the program has fired.
    Lines log(const std::string& name = "log") const {
        Lines lines = log_with_places(name);
        for (std::string& line : lines) {
            EXPECT_TRUE(line.ends_with(" -")) << line;
            line.resize(line.rfind(' '));
        }
        return lines;
    }
    Lines log_with_places(const std::string& name = "log") const {
        std::ifstream file(log_path(name));
        Lines lines;
        for (std::string line; std::getline(file, line);) {
            std::istringstream columns(line);
            Lines words;
            for (std::string word; std::getline(columns, word, '\t');) words.push_back(word);
            EXPECT_EQ(words.size(), 9u) << line;
            if (words.size() != 9) continue;
            lines.push_back(words[1] + " " + words[3] + " " + words[4] + " " + words[5] + " " + words[6] +
                            " " + words[7] + " " + words[8]);
        }
        return lines;
    }
    Finished run_target(const std::string& chain, const Lines& words, const Lines& options = {}) {
        Lines program_words{BUILD_DIR "/tests/runtime_control_target"};
        program_words.insert(program_words.end(), words.begin(), words.end());
        return run_words(chain, program_words, options);
    }
    Finished run_words(const std::string& chain, const Lines& words, const Lines& options = {}) {
        Lines command{program("ovnirun"), "--control", chain, "--control-log", log_path()};
        command.insert(command.end(), options.begin(), options.end());
        command.insert(command.end(), words.begin(), words.end());
        return run(command, {"OVNI_TRACEDIR=" + trace().string(), "OVNI_RUNDIR=" + home().string()});
    }
};

inline void pass(const char* text, int level = 1) {
    if (ovni_private_awaits_pcontrol()) ovni_private_hit_pcontrol(level, text, strlen(text));
}

// Counts events of that kind from now on, for await_events().
inline std::atomic<int> events_that_came{0};
template <int kind>
void count_events() {
    ovni_control_listen(
        [](void*, int event, uint32_t, int) {
            if (event == kind) ++events_that_came;
        },
        nullptr);
}

// Gives up after 20 seconds.
inline void await_events(int count) {
    for (int i = 0; i < 20'000 && events_that_came < count; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace ovni::test
