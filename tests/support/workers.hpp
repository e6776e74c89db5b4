// Those who share the work of emulating one trace, which all write the same: so many processes (ovniemu-mpi),
// or threads of one (ovniemu -j).
#pragma once

#include <string>

#include "tests/support/launcher_of_tests.hpp"
#include "tests/support/process.hpp"
#include "tests/support/words.hpp"

namespace ovni::test {

struct Workers {
    enum class Kind { ranks, threads };
    int number;
    Kind kind = Kind::ranks;

    std::string name() const { return (kind == Kind::ranks ? "ranks" : "threads") + std::to_string(number); }
    // The beginning of their command line.
    Words emulator() const {
        if (kind == Kind::threads) return {program("ovniemu"), "-j", std::to_string(number)};
        return {launcher(), "-n", std::to_string(number), program("ovniemu-mpi")};
    }
};

constexpr Workers any_ranks[] = {{1}, {2}, {3}, {4}};
constexpr Workers any_threads[] = {
    {2, Workers::Kind::threads}, {3, Workers::Kind::threads}, {4, Workers::Kind::threads}};
// Threads take the course of ranks in one process, so that one job of MPI is enough.
constexpr Workers every_sharing[] = {
    {3}, {2, Workers::Kind::threads}, {3, Workers::Kind::threads}, {4, Workers::Kind::threads}};

}  // namespace ovni::test
