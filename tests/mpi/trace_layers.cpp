// Programs with layers of their own between them and MPI, or POSIX threads: the layers get the calls that
// they get untraced, and the calls of the program are recorded.
#include <gmock/gmock.h>

#include <set>

#include "tests/mpi/built_programs.hpp"

namespace ovni::test {
namespace {

using testing::HasSubstr;

class Layers : public BuiltPrograms {};

TEST_P(Layers, LayersOfALibraryAreCalled) {
    const std::string layer = library("libserving.so", {"serving_layer.c"});
    const std::string sum = built("mpicc", "sum", {"sum_of_ranks.c", layer});
    const Finished plain = job(3, {sum});
    ASSERT_EQ(plain.out, "2 ranks, sum 1\n") << plain.err;
    const Finished done = traced_job(3, {sum});
    EXPECT_EQ(done.status, 0);
    EXPECT_EQ(done.out, plain.out);
    EXPECT_EQ(done.err, plain.err);
    EXPECT_EQ(calls(), (std::set<std::string>{"MPI_Init 3", "MPI_Allreduce 2", "MPI_Finalize 2"}));
    expect_emulates();
}

// All that reaches MPI is recorded, calls of the layer itself, too.
TEST_P(Layers, CallsBehindLayersOfTheProgramAreRecorded) {
    const Words sources{"sum_of_ranks.c", "serving_layer.c"};
    for (const Words& how :
         {Words{}, Words{"-Wl,-z,now", "-fvisibility=hidden"}, Words{"-no-pie", "-fno-pie"}}) {
        const Finished done = traced_job(3, {built("mpicc", "sum", sources + how)});
        EXPECT_EQ(done.status, 0);
        EXPECT_EQ(done.out, "2 ranks, sum 1\n");
        EXPECT_EQ(done.err, "served 2 requests\n");
        EXPECT_EQ(calls(),
                  (std::set<std::string>{"MPI_Init 3", "MPI_Allreduce 2", "MPI_Finalize 3", "MPI_Send 4",
                                         "MPI_Recv 4", "MPI_Comm_split 3", "MPI_Comm_free 3"}));
        expect_emulates();
    }
}

TEST_P(Layers, PreloadedLayersAreCalled) {
    const std::string sum = built("mpicc", "sum", {"sum_of_ranks.c"});
    for (const Words& how : {Words{}, Words{"-DNEXT"}}) {
        const std::string tool = library("libcounting.so", how + Words{"counting_layer.c"});
        const Words preload{"env", "LD_PRELOAD=" + tool};
        const Finished plain = job(2, preload + Words{sum}), done = traced_job(2, {sum}, preload);
        EXPECT_EQ(plain.err, "counted 1\ncounted 1\n");
        EXPECT_EQ(lines_of(done.err), lines_of(plain.err));
        EXPECT_EQ(done.out, plain.out);
        EXPECT_EQ(calls(), (std::set<std::string>{"MPI_Init 2", "MPI_Allreduce 2", "MPI_Finalize 2"}));
        expect_emulates();
    }
}

TEST_P(Layers, LayersOneBehindTheOtherAreCalledAsUntraced) {
    const std::string layer = library("libserving.so", {"serving_layer.c"});
    const std::string sum = built("mpicc", "sum", {"sum_of_ranks.c", layer});
    const std::string tool = library("libcounting.so", {"-DNEXT", "counting_layer.c"});
    const Words preload{"env", "LD_PRELOAD=" + tool};
    const Finished plain = job(3, preload + Words{sum}), done = traced_job(3, {sum}, preload);
    EXPECT_THAT(plain.err, HasSubstr("served 2 requests"));
    EXPECT_EQ(lines_of(done.err), lines_of(plain.err));
    EXPECT_EQ(done.out, "2 ranks, sum 1\n");
    EXPECT_EQ(calls(), (std::set<std::string>{"MPI_Init 3", "MPI_Allreduce 2", "MPI_Finalize 2"}));
}

TEST_P(Layers, LayersOfFortranAreCalled) {
    if (run({std::string("mpifort") + GetParam().suffix, "--version"}).status != 0)
        GTEST_SKIP() << "there is no compiler for Fortran";
    const std::string layer = library("libroutine.so", {"routine_layer.c"});
    const std::string object = built("gcc", "layer.o", {"-c", "routine_layer.c"});
    for (const std::string& where : {layer, object}) {
        const std::string sum =
            built("mpifort", "sum", {"sum_of_ranks.f90", where, "-Wl,-rpath," + path("")});
        const Finished plain = job(2, {sum}), done = traced_job(2, {sum});
        EXPECT_EQ(plain.out, "sum 2\n") << plain.err;
        EXPECT_EQ(done.out, plain.out) << done.err;
        EXPECT_EQ(calls(), (std::set<std::string>{"MPI_Init 2", "MPI_Allreduce 2", "MPI_Finalize 2"}));
    }
}

TEST_P(Layers, LibrariesThatBindDeeplyAreRecorded) {
    const std::string host = built("mpicc", "host", {"-fPIC", "deep_host.c", "-ldl"});
    const std::string plugin = library("plugin.so", {"deep_plugin.c"});
    for (const char* when : {"now", "lazy"})
        for (const char* how : {"deep", "plain"}) {
            const Finished done = traced_job(2, {host, plugin, when, how});
            EXPECT_EQ(done.out, "mpi_barrier says 1020\n") << done.err;
            EXPECT_EQ(calls(), (std::set<std::string>{"MPI_Init 2", "MPI_Barrier 40", "MPI_Finalize 2"}));
        }
}

INSTANTIATE_TEST_SUITE_P(Families, Layers, BuiltPrograms::families(), BuiltPrograms::name_of);

TEST(ThreadLayers, ThreadLayersAreCalledWhereverTheyAre) {
    if (*OVNI_SANITIZE) GTEST_SKIP() << "programs are built here without a sanitizer";
    const TemporaryDirectory directory;
    const std::string sources = SOURCE_DIR "/tests/apps/layers/", locks = directory.path() / "locks";
    const std::string layer = directory.path() / "liblayer.so", inside = directory.path() / "inside";
    auto build = [](const Words& words) { ASSERT_EQ(run(Words{"gcc", "-w", "-pthread"} + words).status, 0); };
    build({"-o", locks, sources + "locks.c"});
    build({"-o", inside, sources + "locks.c", sources + "thread_layer.c"});
    build({"-shared", "-fPIC", "-o", layer, sources + "thread_layer.c"});
    const Words ovnirun{program("ovnirun"), "--pthread", "all", "-o", directory.path() / "ovni"};
    const Words says{"LAYER_SAYS=1"}, preloaded{"LAYER_SAYS=1", "LD_PRELOAD=" + layer};
    EXPECT_EQ(run(ovnirun + Words{"env"} + preloaded + Words{locks}).out, "200 recursive locks, 2 threads\n");
    EXPECT_EQ(
        run(Words{"env"} + Words{"LD_PRELOAD=" + layer} + ovnirun + Words{"env"} + says + Words{locks}).out,
        "200 recursive locks, 2 threads\n");
    EXPECT_EQ(run(ovnirun + Words{"env"} + says + Words{inside}).out, "200 recursive locks, 2 threads\n");
}

}  // namespace
}  // namespace ovni::test
