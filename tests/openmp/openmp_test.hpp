// Runs programs of tests/openmp/programs under mpirun and ovnirun, with each runtime that there is, and reads
// what they left.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <ostream>
#include <set>
#include <string>

#include "tests/mpi/traced.hpp"

namespace ovni::test {

// The ways in which OpenMP is recorded: by the entry points of libgomp, by libomp in its place, or by libomp.
enum class Runtime { libgomp, libomp_for_gcc, libomp };

inline std::ostream& operator<<(std::ostream& out, Runtime runtime) {
    constexpr const char* names[] = {"libgomp", "libomp_for_gcc", "libomp"};
    return out << names[static_cast<int>(runtime)];
}

// Counts of events by code; "PX[8" for a state with a number.
using Counts = std::map<std::string, long>;

class OpenMpTest : public TracedTest, public ::testing::WithParamInterface<Runtime> {
 protected:
    void SetUp() override {
        if (needs_libomp() && !OVNI_TEST_HAS_LIBOMP)
            GTEST_SKIP() << "clang, libomp or its headers are missing";
    }
    bool needs_libomp() const { return GetParam() != Runtime::libgomp; }
    std::string openmp_program(const std::string& name) const {
        return std::string(BUILD_DIR) + "/tests/openmp/" + name +
               (GetParam() == Runtime::libomp ? "_clang" : "_gcc");
    }
    // CPUs are left out and nothing is bound, as tests run on fewer CPUs than the program has threads.
    Finished traced_openmp(int ranks, const Words& words, const Words& options = {},
                           const Words& environment = {}) const {
        Words all{"--cpu", "virtual"};
        if (GetParam() == Runtime::libomp_for_gcc) all = all + Words{"--openmp", "libomp"};
        return traced(ranks, words, all + options,
                      Words{"OMP_NUM_THREADS=3", "OMPI_MCA_hwloc_base_binding_policy=none"} + environment);
    }
    // The strictest reader accepts the trace, with a breakdown.
    void expect_strictly_emulates() const { expect_emulates({"-l", "-b"}); }

    // Counts of the process with that rank, or of all.
    Counts counts_of_rank(int rank = -1) const {
        Counts counts;
        const Trace read = trace();
        for (uint32_t s = 0; s < read.streams().size(); ++s) {
            if (rank >= 0 && read.streams()[s].metadata.process->rank != rank) continue;
            add_counts(counts, read, s);
        }
        return counts;
    }

 private:
    static void add_counts(Counts& counts, const Trace& read, uint32_t stream) {
        for (StreamReader reader = read.reader(stream, 0, ClockOrder::checked); reader.next();) {
            const EventView& event = reader.event();
            if (event.kind != EventView::Kind::event) continue;
            std::string code = event.code.text().data();
            uint16_t number = 0;
            if (code == "PX[" || code == "PX]") {
                std::memcpy(&number, event.payload().data(), sizeof number);
                code += std::to_string(number);
            }
            ++counts[code];
        }
    }
};

}  // namespace ovni::test
