// Programs of a second MPI, besides the one that the project is built with: they are traced in the same way
// by the library for their family, and run as without tracing if there is none.
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/mpi/traced.hpp"
#include "tests/support/sentences.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;

const std::string notice =
    "ovni-mpi: the program's MPI is MPICH, the tracing library was built for Open MPI: its MPI calls are not "
    "recorded\n";

// Skips where MPICH, the compiler in particular, is not installed next to Open MPI.
class ForeignMpi : public TracedTest {
 protected:
    void SetUp() override {
        if (run({"mpiexec.mpich", "--version"}).status != 0) GTEST_SKIP() << "there is no mpiexec.mpich";
    }
    // Null if this compiler cannot build it.
    std::string built(const std::string& compiler, const std::string& source) const {
        std::string result = path("ring_of_ranks." + compiler);
        Finished done = run({compiler, SOURCE_DIR "/tests/apps/" + source, "-w", "-o", result});
        return done.status == 0 ? result : "";
    }
    Finished job(const Words& words) const { return run(Words{"mpiexec.mpich", "-n", "4"} + words); }
    Finished job_below(const std::string& ovnirun, const Words& words) const {
        return run(Words{"mpiexec.mpich", "-n", "4", ovnirun, "-o", trace_directory()} + words,
                   {"ASAN_OPTIONS=" + asan_options});
    }
    static bool has_library() { return fs::exists(BUILD_DIR "/lib/libovni-mpi-mpich.so"); }

    // The events of MPI of each rank, but for the places in the program that they come from, and the end of
    // MPI_Finalize: where a rank that is done has a status, mpirun ends the others.
    std::map<int, std::vector<std::string>> calls() const {
        Trace trace = this->trace();
        std::map<int, std::vector<std::string>> calls;
        for (uint32_t s = 0; s < trace.streams().size(); ++s)
            for (StreamReader reader = trace.reader(s, 0, ClockOrder::checked); reader.next();) {
                const EventView& event = reader.event();
                const std::string code = event.code.text().data();
                if (event.kind != EventView::Kind::event || code[0] != 'M' || code == "MX@" || code == "MUF")
                    continue;
                std::string text = code;
                for (auto byte : event.payload()) text += " " + std::to_string(static_cast<int>(byte));
                calls[*trace.streams()[s].metadata.process->rank].push_back(text);
            }
        return calls;
    }
    // "MPI_Send ../ring+0x11d5": the places in the program that call MPI, by their innermost caller.
    std::set<std::string> sites() const {
        std::set<std::string> sites;
        for (const auto& file : fs::recursive_directory_iterator(trace_directory())) {
            if (file.path().filename() != "stream.json") continue;
            const nlohmann::json mpi = nlohmann::json::parse(read_file(file.path()))["mpi"];
            for (const nlohmann::json& site : mpi["sites"]) {
                std::istringstream words(site.get<std::string>());
                std::string function, module, offset, build, base, module_path;
                words >> function;
                std::getline(words >> std::ws, module, '+') >> offset;
                std::istringstream(mpi["modules"][module].get<std::string>()) >> build >> base >> module_path;
                sites.insert(function + " " + module_path + "+" + offset);
            }
        }
        return sites;
    }
};

// A prefix that has all of the tracer but the library for MPICH.
class WithoutItsLibrary : public ForeignMpi {
 protected:
    void SetUp() override {
        ForeignMpi::SetUp();
        if (fs::exists(BUILD_DIR "/lib/libovni-mpi-openmpi.so"))
            GTEST_SKIP() << "the MPI of the build is MPICH";
        fs::create_directories(path("prefix/bin"));
        fs::copy(program("ovnirun"), path("prefix/bin"));
        ASSERT_EQ(run({"cp", "-a", BUILD_DIR "/lib", path("prefix")}).status, 0);
        fs::remove(path("prefix/lib/libovni-mpi-mpich.so"));
    }
    Finished traced_job(const Words& words) const { return job_below(path("prefix/bin/ovnirun"), words); }
};

class WithItsLibrary : public ForeignMpi {
 protected:
    void SetUp() override {
        ForeignMpi::SetUp();
        if (!has_library()) GTEST_SKIP() << "the build has no tracing library for MPICH";
    }
    Finished traced_job(const Words& words) const { return job_below(program("ovnirun"), words); }
};

}  // namespace

TEST_F(WithoutItsLibrary, AProgramRunsUntouched) {
    std::string ring = built("mpicc.mpich", "ring_of_ranks.c");
    if (ring.empty()) GTEST_SKIP() << "mpicc.mpich builds no program";
    for (const Words& words : {Words{ring}, Words{ring, "with-threads"}}) {
        Finished done = traced_job(words);
        EXPECT_EQ(done.status, 7) << done.err;
        EXPECT_EQ(done.err, notice + nothing_recorded);
        EXPECT_FALSE(fs::exists(trace_directory()));
    }
}

TEST_F(WithoutItsLibrary, AProgramMayAbort) {
    std::string ring = built("mpicc.mpich", "ring_of_ranks.c");
    if (ring.empty()) GTEST_SKIP() << "mpicc.mpich builds no program";
    Finished plain = job({ring, "with-threads", "aborts"}),
             done = traced_job({ring, "with-threads", "aborts"});
    EXPECT_EQ(done.status, plain.status) << done.err;
}

TEST_F(WithoutItsLibrary, AFortranProgramRunsUntouched) {
    std::string ring = built("mpifort.mpich", "ring_of_ranks.f90");
    if (ring.empty()) GTEST_SKIP() << "mpifort.mpich builds no program";
    Finished done = traced_job({ring});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.err, notice + nothing_recorded);
}

TEST_F(WithItsLibrary, AProgramOfMpichIsTracedAsOneOfTheBuild) {
    std::string ring = built("mpicc.mpich", "ring_of_ranks.c"), own = built("mpicc", "ring_of_ranks.c");
    if (ring.empty() || own.empty()) GTEST_SKIP() << "mpicc.mpich or mpicc builds no program";
    Finished done = traced(4, {own});
    ASSERT_EQ(done.status, 7) << done.err;
    const auto expected = calls();
    ASSERT_EQ(expected.size(), 4u);
    done = traced_job({ring});
    ASSERT_EQ(done.status, 7) << done.err;
    EXPECT_EQ(done.err.find(" not "), std::string::npos) << done.err;
    EXPECT_EQ(calls(), expected);
    expect_emulates();
}

// env is linked with no MPI, so the library for the MPI of the build is loaded and hands over.
TEST_F(WithItsLibrary, AProgramIsTracedIfItsMpiShowsLate) {
    std::string ring = built("mpicc.mpich", "ring_of_ranks.c");
    if (ring.empty()) GTEST_SKIP() << "mpicc.mpich builds no program";
    ASSERT_EQ(traced_job({ring}).status, 7);
    const auto expected = calls();
    const auto expected_sites = sites();
    EXPECT_GT(expected_sites.size(), 3u);
    Finished done = traced_job({"env", ring});
    ASSERT_EQ(done.status, 7) << done.err;
    EXPECT_EQ(done.err.find(" not "), std::string::npos) << done.err;
    EXPECT_EQ(calls(), expected);
    EXPECT_EQ(sites(), expected_sites);
    expect_emulates();
}

TEST_F(WithItsLibrary, AFortranProgramIsTracedIfItsMpiShowsLate) {
    std::string ring = built("mpifort.mpich", "ring_of_ranks.f90");
    if (ring.empty()) GTEST_SKIP() << "mpifort.mpich builds no program";
    ASSERT_EQ(traced_job({ring}).status, 0);
    const auto expected = calls();
    const auto expected_sites = sites();
    ASSERT_EQ(expected.size(), 4u);
    ASSERT_EQ(traced_job({"env", ring}).status, 0);
    EXPECT_EQ(calls(), expected);
    EXPECT_EQ(sites(), expected_sites);
    expect_emulates();
}

// Each of the two ranks is alone.
TEST_F(WithItsLibrary, TheLauncherOfAnotherMpiIsReported) {
    const std::string program_of_mpich = built("mpicc.mpich", "ring_of_ranks.c");
    ASSERT_NE(program_of_mpich, "");
    prepare_for_mpirun();
    const Finished done =
        run({"mpirun", "-n", "2", program("ovnirun"), "-o", trace_directory(), program_of_mpich});
    const std::string report =
        "ovni-mpi: the launcher started 2 processes, but each has an MPI_COMM_WORLD of its own: use the "
        "launcher of the "
        "program's MPI\n";
    EXPECT_NE(done.err.find(report), std::string::npos) << done.err;
    EXPECT_EQ(done.err.find(report), done.err.rfind(report));
}

TEST_F(WithItsLibrary, RanksThatAreNotTracedAreNamed) {
    std::string ring = built("mpicc.mpich", "ring_of_ranks.c");
    if (ring.empty()) GTEST_SKIP() << "mpicc.mpich builds no program";
    Finished done = run(
        {"mpiexec.mpich", "-n", "2", program("ovnirun"), "-o", trace_directory(), ring, ":", "-n", "2", ring},
        {"ASAN_OPTIONS=" + asan_options});
    EXPECT_EQ(done.status, 7) << done.err;
    EXPECT_NE(done.err.find("ovni-mpi: ranks 2-3 are not traced"), std::string::npos) << done.err;
    EXPECT_EQ(streams().size(), 2u);
}

}  // namespace ovni::test
