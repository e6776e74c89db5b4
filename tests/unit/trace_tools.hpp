// ovnidump, ovnitop and ovnisort as a user runs them, on traces that tests make.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/process.hpp"
#include "tests/support/stream_test.hpp"

namespace ovni::test {

class TraceToolsTest : public ::testing::Test {
 protected:
    // A process of that rank, which records MPI.
    StreamBuilder& rank(int rank, int ranks) {
        return trace_.thread({.pid = rank + 1,
                              .tid = rank + 1,
                              .rank = rank,
                              .nranks = ranks,
                              .require = {{"ovni", "1.1.0"}, {"mpi", "1.4.0"}}});
    }
    TraceBuilder trace_;

    void example() {
        trace_.thread({.loom = "nodeA.app1", .pid = 4321, .tid = 4321})
            .event("OHx", 1000, {0, -1, u64(0x55)})
            .jumbo("??c", 1001, {u32(1), "hey"})
            .event("OM[", 1002, {i64(3), 5})
            .event("OHe", 1003);
    }
    Finished tool(const std::string& name, std::vector<std::string> words = {}) {
        words.insert(words.begin(), program(name));
        words.push_back(trace_.write());
        return run(words);
    }
    std::string dumped(std::vector<std::string> words = {}) { return tool("ovnidump", std::move(words)).out; }
};

}  // namespace ovni::test
