// Sentences that are still to be made: their cases skip, and say why.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/launcher_of_tests.hpp"

namespace ovni::test {

// Keys are a problem, or "line of" it; "with mpich" stands behind those that only this MPI has not.
inline const std::map<std::string, std::string> not_yet{
    {"polling_wait with mpich", "half of the time of such loops lies between calls, and counts as computing"},
};

// Call in SetUp().
inline void skip_if_not_yet(const std::string& what) {
    for (const std::string& key : {what, what + " with " + other_mpi()})
        if (const auto reason = not_yet.find(key); reason != not_yet.end()) GTEST_SKIP() << reason->second;
}

}  // namespace ovni::test
