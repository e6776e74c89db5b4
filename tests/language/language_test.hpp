// Traces of the model of example.cpp, and the programs that know it.
#pragma once

#include <string>
#include <vector>

#include "tests/unit/emulator_test.hpp"

namespace ovni::test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

inline std::string example_program(const std::string& name) {
    return std::string(BUILD_DIR) + "/tests/language/" + name;
}

class LanguageTest : public EmulatorTest {
 protected:
    static Identity identity(Identity identity = {}) {
        identity.require = {{"ovni", "1.1.0"}, {"example", "1.0.0"}};
        return identity;
    }
    StreamBuilder& thread(const Identity& of = {}) { return trace().thread(identity(of)); }
    Finished emulate() { return run({example_program("ovniemu"), trace().write().string()}); }
    void accept() {
        Finished done = emulate();
        ASSERT_EQ(done.status, 0) << done.err;
    }
    // Prints the only thread by `ovnidump`.
    std::string dump() {
        Finished done = run({example_program("ovnidump"), trace().write().string()});
        EXPECT_EQ(done.status, 0) << done.err;
        return done.out;
    }
};

}  // namespace ovni::test
