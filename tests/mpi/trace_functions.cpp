// Every MPI function is in the table, has its wrapper, and is recorded where it is chosen.
#include <algorithm>
#include <cctype>
#include <set>

#include "tests/mpi/account.hpp"
#include "tests/mpi/mpi_functions.hpp"
#include "tests/mpi/traced.hpp"

namespace ovni::test {

namespace {

using Names = std::set<std::string>;

// The dynamic symbols that a library defines and that have that beginning, which is cut.
Names symbols_of(const std::string& library, const std::string& beginning) {
    Names names;
    std::istringstream lines(run({"nm", "-D", "--defined-only", library}).out);
    for (std::string address, kind, name; lines >> address >> kind >> name;)
        if (name.starts_with(beginning)) names.insert(name.substr(beginning.size()));
    return names;
}

Names without(const Names& all, const Names& others) {
    Names rest;
    std::ranges::set_difference(all, others, std::inserter(rest, rest.end()));
    return rest;
}

// The path at which the dynamic linker finds it.
std::string path_of_library(const std::string& name) {
    std::istringstream lines(run({"ldconfig", "-p"}).out);
    for (std::string line; std::getline(lines, line);)
        if (line.find("\t" + name + " ") != line.npos) return line.substr(line.find("=> ") + 3);
    return "";
}

const std::string our_library = std::string(BUILD_DIR) + "/lib/libovni-mpi.so";

}  // namespace

TEST(MpiFunctionTable, FunctionsAreThoseOfTheLibraryAndNewerOnes) {
    std::string library = path_of_library("libmpi.so.40");
    if (library.empty()) GTEST_SKIP() << "there is no Open MPI 4 here";
    Names table;
    for (const MpiFunction& function : mpi_functions()) EXPECT_TRUE(table.insert(function.name).second);
    EXPECT_EQ(without(symbols_of(library, "PMPI_"), table), Names{});
    Names newer;
    for (const MpiFunction& function : mpi_functions())
        if (function.is_newer_than_mpi_3()) newer.insert(function.name);
    EXPECT_EQ(without(table, symbols_of(library, "PMPI_")), newer);
}

TEST(MpiFunctionTable, EveryFunctionHasItsWrapper) {
    if (path_of_library("libmpi.so.40").empty()) GTEST_SKIP() << "there is no Open MPI 4 here";
    Names table;
    // Others are handed over to a library for MPICH.
    const bool has_successor = run({"test", "-e", BUILD_DIR "/lib/libovni-mpi-mpich.so"}).status == 0;
    for (const MpiFunction& function : mpi_functions())
        if (has_successor || !function.is_newer_than_mpi_3()) table.insert(function.name);
    EXPECT_EQ(symbols_of(our_library, "MPI_"), table);
}

// MPICH has the functions of the table, but for conversions of handles, which are macros there.
TEST(MpiFunctionTable, FunctionsOfMpichAreInTheTable) {
    const std::string library = path_of_library("libmpich.so.12");
    const std::string tracer = std::string(BUILD_DIR) + "/lib/libovni-mpi-mpich.so";
    if (library.empty() || run({"test", "-e", tracer}).status != 0)
        GTEST_SKIP() << "there is no MPICH of Debian, or no tracing library for it";
    Names table, of_library = symbols_of(library, "PMPI_"), wrappers = symbols_of(tracer, "MPI_");
    for (const MpiFunction& function : mpi_functions()) table.insert(function.name);
    EXPECT_EQ(without(of_library, table), (Names{"Aint_add", "Aint_diff"}));
    for (const std::string& name : without(table, of_library))
        EXPECT_TRUE(name.ends_with("_c2f") || name.ends_with("_f2c")) << name;
    EXPECT_EQ(without(of_library, wrappers), (Names{"Aint_add", "Aint_diff"}));
    EXPECT_EQ(without(wrappers, table), Names{});
}

#ifdef OVNI_TEST_FORTRAN
namespace {

// Helpers of the bindings, and arithmetic without a C function.
const Names not_traced = {"aint_add", "aint_diff", "f_sync_reg"};
// Only where a routine has arguments of the type C_PTR.
const Names for_c_pointers = {"alloc_mem_cptr", "win_allocate_cptr", "win_allocate_shared_cptr",
                              "win_shared_query_cptr"};
// Removed from MPI before mpi_f08 was made, or functions of C there.
const Names not_in_f08 = {
    "address",        "attr_delete",    "attr_get",      "attr_put",    "errhandler_create",
    "errhandler_get", "errhandler_set", "keyval_create", "keyval_free", "type_extent",
    "type_hindexed",  "type_hvector",   "type_lb",       "type_struct", "type_ub",
    "wtick",          "wtime"};

Names routines_of_table() {
    Names names;
    for (const MpiFunction& function : mpi_functions()) {
        std::string name = function.name;
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        if (function.in_fortran() && !function.is_newer_than_mpi_3()) names.insert(name);
    }
    return names;
}

// "send" of a symbol of that form: a beginning and an end.
Names routines_of(const std::string& library, const std::string& beginning, const std::string& end) {
    Names names;
    for (const std::string& name : symbols_of(library, beginning)) {
        bool longer = end == "_" && (name.ends_with("__") || name.find("_f08") != name.npos);
        if (name.ends_with(end) && !longer && !name.starts_with("sizeof_") && !name.starts_with("fortran_"))
            names.insert(name.substr(0, name.size() - end.size()));
    }
    return names;
}

}  // namespace

TEST(MpiFunctionTable, FortranRoutinesAreThoseOfTheLibrary) {
    std::string older = path_of_library("libmpi_mpifh.so.40"),
                newer = path_of_library("libmpi_usempif08.so.40");
    ASSERT_NE(older, "");
    ASSERT_NE(newer, "");
    Names table = routines_of_table();
    EXPECT_EQ(without(routines_of(older, "mpi_", "_"), table), [] {
        Names all = not_traced;
        all.insert(for_c_pointers.begin(), for_c_pointers.end());
        return all;
    }());
    EXPECT_EQ(without(table, routines_of(older, "mpi_", "_")), Names{});
    EXPECT_EQ(without(routines_of(newer, "mpi_", "_f08_"), table), not_traced);
    EXPECT_EQ(without(table, routines_of(newer, "mpi_", "_f08_")), not_in_f08);
}

TEST(MpiFunctionTable, FortranRoutinesOfMpichHaveWrappers) {
    const std::string library = path_of_library("libmpichfort.so.12");
    const std::string tracer = std::string(BUILD_DIR) + "/lib/libovni-mpi-mpich.so";
    if (library.empty() || run({"test", "-e", tracer}).status != 0)
        GTEST_SKIP() << "there is no MPICH of Debian, or no tracing library for it";
    for (const char* end : {"_f08_", "_f08ts_", "_f08_large_", "_f08ts_large_"}) {
        Names routines = routines_of(library, "mpi_", end);
        EXPECT_GT(routines.size(), 10u) << end;
        Names missing = without(routines, routines_of(tracer, "ovni_mpi_", end));
        for (const std::string& name : not_traced) missing.erase(name);
        // Later than MPI 4.0, and other names in C.
        std::erase_if(missing, [](const std::string& name) { return name.starts_with("delete_error_"); });
        EXPECT_EQ(missing, Names{}) << end;
    }
}

TEST(MpiFunctionTable, EveryRoutineHasItsWrappersInAllSpellings) {
    Names table = routines_of_table();
    for (const char* end : {"_", "__", "_f08_", "_f08ts_"})
        EXPECT_EQ(without(table, routines_of(our_library, "ovni_mpi_", end)), Names{}) << end;
    EXPECT_EQ(without(for_c_pointers, routines_of(our_library, "ovni_mpi_", "_")), Names{});
    Names plain = symbols_of(our_library, "ovni_mpi_"), capital = symbols_of(our_library, "ovni_MPI_");
    for (std::string name : table) {
        EXPECT_TRUE(plain.contains(name)) << name;
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
        EXPECT_TRUE(capital.contains(name)) << name;
    }
}
#endif

#ifdef OVNI_TEST_FORTRAN
class FortranProgram : public TracedTest {};

TEST_F(FortranProgram, EndsItsStreamByAbortAsOneInC) {
    for (const char* name : {"calls_mpifh", "calls_module", "calls_f08"}) {
        EXPECT_EQ(traced(1, {app(name), path(""), "abort"}).status, 7) << name;
        Trace trace = this->trace();
        ASSERT_EQ(trace.streams().size(), 1u);
        const StreamMetadata& about = trace.streams()[0].metadata;
        ASSERT_TRUE(about.end.has_value());
        EXPECT_EQ(about.end->code, 7);
        EXPECT_TRUE(story_of(trace, 0).ends_with("MX[1 cut")) << story_of(trace, 0);
        expect_emulates();
    }
}

TEST_F(FortranProgram, NamesRegionsWithMpifh) {
    ASSERT_EQ(traced(2, {app("calls_mpifh"), path("")}).status, 0);
    EXPECT_TRUE(story_of(trace(), 0).starts_with("MUi MUI OM[phase one OM]phase one MX[252"))
        << story_of(trace(), 0);
    ASSERT_EQ(traced(2, {app("calls_f08"), path("")}).status, 0);
    EXPECT_TRUE(story_of(trace(), 0).starts_with("MUi MUI OM=")) << story_of(trace(), 0);
}
#endif

class FunctionChoice : public TracedTest {
 protected:
    // Runs calls_c; the functions of which rank 0 recorded calls, as often as it made them. Left out: the
    // callbacks of generalized requests, whose calls are those of MPI where the function that calls back is
    // recorded.
    // `environment`: of the program alone; ovnirun refuses what means nothing.
    Names recorded(const Words& options, const Words& environment = {}) {
        Words words = {app("calls_c"), path(""), "messages", "communicators", "one_sided", "others"};
        if (!environment.empty()) words = Words{"env"} + environment + words;
        done = traced(2, words, options + Words{"--cpu", "virtual"});
        EXPECT_EQ(done.status, 0) << done.err;
        called.clear();
        Names names;
        if (done.status != 0) return names;
        Trace trace = this->trace();
        uint32_t stream = *trace.streams()[0].metadata.process->rank == 0 ? 0 : 1;
        auto calls = counted(path("calls.0"));
        auto events = counts_of(trace, stream);
        for (const MpiFunction& function : mpi_functions()) {
            int times = calls["MPI_" + function.name];
            if (times > 0) called.push_back(function);
            if (events[function.enter] == 0) continue;
            EXPECT_EQ(events[function.enter], times) << function.name;
            names.insert(function.name);
        }
        required = trace.streams()[stream].metadata.common->require.at("mpi");
        expect_emulates({"-l"});
        return names;
    }
    // Those of a family that the program called.
    Names called_of(const std::string& family) const {
        Names names;
        for (const MpiFunction& function : called)
            if (function.family == family) names.insert(function.name);
        return names;
    }
    Names called_of_tier_3() const {
        Names names;
        for (const MpiFunction& function : called)
            if (function.tier == 3) names.insert(function.name);
        return names;
    }
    std::vector<MpiFunction> called;
    Finished done;
    std::string required;
};

TEST_F(FunctionChoice, TakesInAndLeavesOutFromLeftToRight) {
    Names rma = recorded({"--mpi-functions", "rma"});
    EXPECT_GT(rma.size(), 30u);
    EXPECT_EQ(rma, called_of("rma"));
    Names chosen = rma;
    chosen.erase("Win_fence");
    chosen.insert({"Init", "Wtime"});
    EXPECT_EQ(recorded({"--mpi-functions=rma,!Win_fence,MPI_INIT,wtime"}), chosen);
    Names all = recorded({"--mpi-functions", "all"}), usual = recorded({"--mpi-functions", "default"});
    EXPECT_EQ(without(all, usual), called_of_tier_3());
    EXPECT_TRUE(called_of_tier_3().contains("Comm_rank"));
    EXPECT_EQ(recorded({"--mpi-functions", "-rma"}), without(usual, rma));
    EXPECT_EQ(recorded({"--mpi-functions", "tier3"}), without(all, usual));
}

TEST_F(FunctionChoice, ReferenceEventsLeaveAStreamThatTheReferenceReads) {
    Names functions = recorded({"--mpi-events", "reference"});
    EXPECT_TRUE(functions.contains("Isend") && !functions.contains("Put"));
    EXPECT_EQ(required, "1.0.0");
}

TEST_F(FunctionChoice, LibrarySkipsWhatMeansNothingAndSaysSoOnce) {
    Names functions = recorded({}, {"OVNI_MPI_FUNCTIONS=rma,Sned,Pt", "OVNI_MPI_EVENTS=some"});
    EXPECT_EQ(functions, called_of("rma"));
    EXPECT_NE(done.err.find("OVNI_MPI_FUNCTIONS: 'Sned' is no function"), std::string::npos) << done.err;
    EXPECT_EQ(done.err.find("'Pt'"), std::string::npos) << done.err;
    EXPECT_NE(done.err.find("OVNI_MPI_EVENTS is full or reference, not 'some'"), std::string::npos);
}

TEST_F(FunctionChoice, ChoosingNoneKeepsTheStatus) {
    EXPECT_EQ(traced(2, {app("calls_c"), path("")}, {"--mpi-functions", "none"}).status, 0);
}

class FunctionsOfReference : public TracedTest, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Trace, FunctionsOfReference, ::testing::Values(1, 4));

TEST_P(FunctionsOfReference, TheProgramMpiCallsCallsThemAll) {
    Finished done = traced(GetParam(), {app("mpi_calls"), path("")});
    ASSERT_EQ(done.status, 0) << done.err;
    auto calls = counted(path("calls.0"));
    for (const MpiFunction& function : mpi_functions()) {
        if (!function.has_codes() || function.is_newer_than_mpi_3() || function.name == "Init_thread")
            continue;
        EXPECT_GT(calls["MPI_" + function.name], 0) << function.name;
    }
}

}  // namespace ovni::test
