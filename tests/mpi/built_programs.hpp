// Programs of tests/apps/layers that a test builds as users do, with the compilers of each MPI that is here,
// and runs with its launcher.
#pragma once

#include <set>
#include <sstream>

#include "tests/mpi/traced.hpp"

namespace ovni::test {

struct Family {
    const char* name;
    const char* suffix;  // of its compilers
    const char* launcher;
};

class BuiltPrograms : public TracedTest, public testing::WithParamInterface<Family> {
 public:
    static auto families() {
        static constexpr Family all[] = {{"openmpi", "", "mpirun"}, {"mpich", ".mpich", "mpiexec.mpich"}};
        return testing::ValuesIn(all);
    }
    static std::string name_of(const testing::TestParamInfo<Family>& family) { return family.param.name; }

 protected:
    void SetUp() override {
        if (*OVNI_SANITIZE) GTEST_SKIP() << "programs are built here without a sanitizer";
        if (run({std::string("mpicc") + GetParam().suffix, "--version"}).status != 0)
            GTEST_SKIP() << "there is no compiler for " << GetParam().name;
        if (*GetParam().suffix && run({"test", "-e", BUILD_DIR "/lib/libovni-mpi-mpich.so"}).status != 0)
            GTEST_SKIP() << "there is no tracing library for " << GetParam().name;
    }
    // The path of what `compiler` makes of sources in tests/apps/layers; other words are passed on.
    std::string built(const std::string& compiler, const std::string& result, const Words& words) const {
        Words command{compiler + (compiler.starts_with("mpi") ? GetParam().suffix : ""), "-w", "-o",
                      path(result)};
        for (const std::string& word : words) {
            const bool is_source = word.ends_with(".c") || word.ends_with(".cpp") || word.ends_with(".f90");
            command.push_back(is_source ? SOURCE_DIR "/tests/apps/layers/" + word : word);
        }
        const Finished done = run(command);
        EXPECT_EQ(done.status, 0) << done.err;
        return path(result);
    }
    std::string library(const std::string& name, const Words& words) const {
        return built("mpicc", name, Words{"-shared", "-fPIC"} + words);
    }
    Finished job(int ranks, const Words& words) const {
        prepare_for_mpirun();
        return run(Words{GetParam().launcher, "-n", std::to_string(ranks)} + words, {}, 120);
    }
    Finished traced_job(int ranks, const Words& words, const Words& before = {}) const {
        std::filesystem::remove_all(trace_directory());
        return job(ranks, before + Words{program("ovnirun"), "-o", trace_directory()} + words);
    }
    // "MPI_Allreduce 2": the calls of all ranks.
    std::set<std::string> calls() const {
        std::istringstream lines(run({program("ovnitop"), "--mpi", trace_directory()}).out);
        std::set<std::string> calls;
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string rank, function, count;
            if (words >> rank >> function >> count && rank == "all") calls.insert(function + " " + count);
        }
        return calls;
    }
    std::set<std::string> runs() const {
        std::set<std::string> runs;
        for (const Stream& stream : streams()) runs.insert(stream.metadata.common->run.value_or("none"));
        return runs;
    }
};

inline std::multiset<std::string> lines_of(const std::string& text) {
    std::istringstream all(text);
    std::multiset<std::string> lines;
    for (std::string line; std::getline(all, line);) lines.insert(line);
    return lines;
}

}  // namespace ovni::test
