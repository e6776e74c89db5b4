// Every output of every program in a directory that another user may change: what links of that user lead to
// stays as it is.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "base/error.hpp"
#include "base/open_directory.hpp"
#include "cut/cut_writer.hpp"
#include "sink/otf2/otf2_directory.hpp"
#include "sink/paraver/cfg.hpp"
#include "tests/formats/formats.hpp"
#include "tests/mpi/emulator_test.hpp"
#include "tests/support/words.hpp"

namespace ovni::test {
namespace {

// The caller runs the programs, and owns what the links of the other one lead to.
struct Users {
    uid_t caller, other;
};

// Links in the directory of the other user, by their names there. A slash at the end: a directory.
struct LinkedOutput {
    const char* name;
    Words links;
    Words command;  // P is that directory, T a trace
    const char* said = "is a symbolic link of another user, which is not followed";
    int status = 1;
    const char* needs = "true";  // a command that succeeds if this can be tested
};

void PrintTo(const LinkedOutput& output, std::ostream* out) {
    *out << output.name;
}

Words emulator(const Words& options) {
    return Words{program("ovniemu")} + options + Words{"T"};
}
Words synchronizer(const Words& options) {
    return Words{"mpirun", "-n", "1", program("ovnisync"), "-n", "10"} + options;
}
Words traced(const Words& options) {
    return Words{program("ovnirun"), "--threads", "program"} + options +
           Words{BUILD_DIR "/tests/runtime_control_target", "fire", "?"};
}

const LinkedOutput linked_outputs[] = {
    {"prv", {"thread.prv"}, emulator({"-o", "P"})},
    {"pcf", {"thread.pcf"}, emulator({"-o", "P"})},
    {"row", {"cpu.row"}, emulator({"-o", "P"})},
    {"directory_of_outputs", {"out/"}, emulator({"-o", "P/out"})},
    {"directory_with_a_slash", {"out/"}, emulator({"-o", "P/out/"})},
    {"views", {"cfg/"}, emulator({"-o", "P"}), "exists already", 0},
    {"views_of_counters", {"cfg/thread/"}, emulator({"-o", "P"}), "exists already", 0},
    {"report", {"report.json"}, emulator({"-o", "P/new", "--report", "P/report.json"})},
    {"perfetto", {"t.pftrace"}, emulator({"-o", "P/new", "--perfetto", "P/t.pftrace"})},
    {"paje", {"t.paje"}, emulator({"-o", "P/new", "--paje", "P/t.paje"})},
    {"page", {"t.html"}, emulator({"-o", "P/new", "--html", "P/t.html"})},
    {"columns", {"t.h5"}, emulator({"-o", "P/new", "--hdf5", "P/t.h5"})},
    {"archive",
     {"t.otf2/"},
     emulator({"-o", "P/new", "--otf2", "P/t.otf2"}),
     "is a symbolic link of another user",
     1,
     "otf2-print --version"},
    {"archive_of_a_part",
     {"t.partial.otf2/"},
     emulator({"-o", "P/new", "--otf2", "P/t.otf2"}),
     "",
     0,
     "otf2-print --version"},
    {"part_of_a_trace", {"part/"}, {program("ovnicut"), "--to", "1ms", "-o", "P/part", "T"}},
    {"offsets", {"offsets.txt"}, synchronizer({"-o", "P/offsets.txt"})},
    {"clocks", {"clocks.json"}, synchronizer({"-o", "P/offsets.txt"})},
    {"samples", {"s.h5"}, synchronizer({"-o", "P/offsets.txt", "--samples", "P/s.h5"})},
    {"trace", {"ovni/"}, traced({"-o", "P/ovni"})},
    {"loom",
     {"ovni/loom.there/"},
     traced({"-o", "P/ovni", "--loom", "there"}),
     "a symbolic link of another user",
     0},
    {"log_of_regions",
     {"log"},
     traced({"-o", "P/ovni", "--control", "threadid:pcontrol:x", "--control-log", "P/log"}),
     "a symbolic link of another user",
     0},
    {"picture",
     {"p.png"},
     {SOURCE_DIR "/scripts/plots/timeline", "-o", "P/p.png", "V/thread.prv"},
     "is a symbolic link of another user",
     1,
     "/usr/bin/python3 -c 'import matplotlib'"},
};

class LinksOfOthers : public DistributedTest, public testing::WithParamInterface<LinkedOutput> {
 protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "links of other users are made as root";
        build(trace_, {.seed = 51, .looms = 1, .events = 200, .models = "OMV"});
        written_ = trace_.write();
        ASSERT_EQ(serial(written_, output("views")).status, 0);
        open_to_all(written_);
        open_to_all(output("views"));
    }
    static void open_to_all(const fs::path& path) {
        run({"chmod", "-R", "a+rX", path.string()});
        for (fs::path above = path; above != "/tmp" && above.has_relative_path(); above = above.parent_path())
            fs::permissions(above, fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add);
    }
    fs::path precious() { return output("precious"); }
    fs::path place() { return output("place"); }

    void prepare(const Users& users, const Words& links) {
        fs::remove_all(precious());
        fs::remove_all(place());
        fs::create_directories(precious());
        fs::create_directories(place());
        fs::create_directories(output("run"));
        fs::permissions(output("run"), fs::perms::all);
        for (const char* file : {"file", "thread.prv", "traces.otf2", "traces.def"})
            write_file(precious() / file, "precious");
        for (const std::string& name : links) {
            const bool is_directory = name.back() == '/';
            const fs::path link = place() / (is_directory ? name.substr(0, name.size() - 1) : name);
            fs::create_directories(link.parent_path());
            fs::create_symlink(is_directory ? precious() : precious() / "file", link);
        }
        run({"chown", "-Rh", std::to_string(users.caller), precious().string()});
        run({"chown", "-Rh", std::to_string(users.other), place().string()});
        run({"chmod", "-R", "a+rwX", place().string()});
        open_to_all(place());
    }
    Finished run_as(const Users& users, Words words) {
        for (std::string& word : words) {
            if (word == "T") word = written_.string();
            if (word == "P" || word.starts_with("P/")) word.replace(0, 1, place().string());
            if (word.starts_with("V/")) word.replace(0, 1, output("views").string());
        }
        const std::string user = std::to_string(users.caller);
        const Words as_caller{"setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups"};
        return run((users.caller == 0 ? Words{} : as_caller) + words,
                   mpi_environment + Words{"OVNI_RUNDIR=" + output("run").string()});
    }
    // The time of the last change and the content, by name.
    std::map<std::string, std::string> all_precious() {
        std::map<std::string, std::string> all;
        for (const auto& entry : fs::recursive_directory_iterator(precious()))
            all[entry.path().string()] = std::to_string(entry.last_write_time().time_since_epoch().count()) +
                                         (entry.is_regular_file() ? read_file(entry.path()) : "");
        return all;
    }

 private:
    fs::path written_;
};

constexpr uid_t root = 0, nobody = 65534, somebody = 65533;
constexpr Users pairs_of_users[] = {{root, nobody}, {nobody, somebody}};

TEST_P(LinksOfOthers, LeadNoOutputAstray) {
    const LinkedOutput& wanted = GetParam();
    if (run({"/bin/sh", "-c", wanted.needs}).status != 0) GTEST_SKIP() << "there is no " << wanted.needs;
    for (const Users& users : pairs_of_users) {
        prepare(users, wanted.links);
        const auto before = all_precious();
        const Finished done = run_as(users, wanted.command);
        EXPECT_EQ(done.status, wanted.status) << users.caller << done.err;
        EXPECT_THAT(done.out + done.err, HasSubstr(wanted.said)) << users.caller;
        EXPECT_EQ(all_precious(), before) << users.caller << done.err;
    }
}

// The test above would hold as well if a program wrote nothing at all.
TEST_P(LinksOfOthers, WouldBeFollowedIfTheyBelongedToTheCaller) {
    const LinkedOutput& wanted = GetParam();
    if (run({"/bin/sh", "-c", wanted.needs}).status != 0) GTEST_SKIP() << "there is no " << wanted.needs;
    if (std::string_view(wanted.name).find("views") != std::string_view::npos ||
        std::string_view(wanted.name).find("part") != std::string_view::npos)
        GTEST_SKIP() << "this output is written only if nothing has its name";
    prepare({root, root}, wanted.links);
    const auto before = all_precious();
    const Finished done = run_as({root, root}, wanted.command);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_NE(all_precious(), before);
}

INSTANTIATE_TEST_SUITE_P(Outputs, LinksOfOthers, testing::ValuesIn(linked_outputs),
                         [](const auto& output) { return std::string(output.param.name); });

class SortedTraceOfOthers : public LinksOfOthers {};

// A stream is sorted in its place.
TEST_P(SortedTraceOfOthers, SortingFollowsNoLinkOfOthers) {
    TraceBuilder ours;
    ours.thread({.loom = "n.a", .pid = 10, .tid = 11})
        .starts(100)
        .event("OU[", 140)
        .event("6C[", 122)
        .event("6C]", 125)
        .event("OU]", 141)
        .ends(200);
    for (const Users& users : pairs_of_users) {
        prepare(users, {});
        fs::copy(ours.write(), precious() / "ovni", fs::copy_options::recursive);
        fs::copy(ours.write(), place() / "ovni", fs::copy_options::recursive);
        fs::path stream;
        for (const auto& entry : fs::recursive_directory_iterator(place() / "ovni"))
            if (entry.path().filename() == "stream.obs") stream = entry.path();
        // "file": the stream. "loom": the loom with all that is in it. "trace": all.
        fs::path linked = stream;
        if (GetParam().links[0] == "loom") linked = stream.parent_path().parent_path().parent_path();
        if (GetParam().links[0] == "trace") linked = place() / "ovni";
        fs::remove_all(linked);
        fs::create_symlink(precious() / fs::relative(linked, place()), linked);
        run({"chown", "-Rh", std::to_string(users.caller), precious().string()});
        run({"chown", "-Rh", std::to_string(users.other), place().string()});
        run({"chmod", "-R", "a+rwX", place().string()});
        const auto before = all_precious();
        const Finished done = run_as(users, {program("ovnisort"), "P/ovni"});
        EXPECT_EQ(done.status, 1) << done.err;
        EXPECT_THAT(done.err, HasSubstr("is a symbolic link of another user"));
        EXPECT_EQ(all_precious(), before);
        EXPECT_EQ(run({"chown", "-h", std::to_string(users.caller), linked.string()}).status, 0);
        EXPECT_EQ(run_as(users, {program("ovnisort"), "P/ovni"}).status, 0);
        EXPECT_NE(all_precious(), before);
    }
}

INSTANTIATE_TEST_SUITE_P(Streams, SortedTraceOfOthers,
                         testing::Values(LinkedOutput{"file", {"file"}, {}},
                                         LinkedOutput{"loom", {"loom"}, {}},
                                         LinkedOutput{"trace", {"trace"}, {}}),
                         [](const auto& output) { return std::string(output.param.name); });

TEST(ViewsOfMpi, FollowNoLinksOfOthers) {
    if (::geteuid() != 0) GTEST_SKIP() << "links of other users are made as root";
    const TemporaryDirectory directory;
    const fs::path precious = directory.path() / "precious", link = directory.path() / "cfg" / "mpi.prv";
    for (const fs::path& made : {precious, link.parent_path()}) fs::create_directories(made);
    fs::create_directory_symlink(precious, link);
    ASSERT_EQ(::lchown(link.c_str(), nobody, nobody), 0);
    write_mpi_views(directory.path());
    EXPECT_TRUE(fs::is_empty(precious));
    ASSERT_EQ(::lchown(link.c_str(), root, root), 0);
    write_mpi_views(directory.path());
    EXPECT_FALSE(fs::is_empty(precious));
}

// Between the making of a directory and its final name.
class ExchangedDirectory : public testing::Test {
 protected:
    fs::path path(const std::string& name) const { return directory_.path() / name; }
    // As the owner of the directory above may do.
    void exchange(const std::string& begin) const {
        fs::create_directories(path("precious"));
        for (const auto& entry : fs::directory_iterator(directory_.path()))
            if (entry.path().filename().string().starts_with(begin)) {
                const fs::path name = entry.path();
                fs::rename(name, path("moved"));
                fs::create_directory_symlink("precious", name);
                return;
            }
        FAIL() << "there is no " << begin;
    }
    TemporaryDirectory directory_;
};

#ifdef OVNI_OTF2
TEST_F(ExchangedDirectory, AnExchangedArchiveGetsNoFiles) {
    Otf2Directory archive(path("archive"));
    exchange("archive.tmp.");
    write_file(archive.open_path() / "traces.otf2", "anchor");
    EXPECT_TRUE(fs::is_empty(path("precious")));
    EXPECT_EQ(read_file(path("moved") / "traces.otf2"), "anchor");
    EXPECT_THROW(archive.move_to(path("archive")), Error);
    EXPECT_TRUE(fs::is_empty(path("precious")));
}
#endif

TEST_F(ExchangedDirectory, AnExchangedPartGetsNoFiles) {
    OutputDirectory part(path("part"));
    exchange("part.tmp.");
    write_file(part.beside() / "file", "new");
    EXPECT_TRUE(fs::is_empty(path("precious")));
    EXPECT_EQ(read_file(path("moved") / "file"), "new");
    EXPECT_THROW(part.commit(), Error);
}

TEST_F(ExchangedDirectory, ErrorsNameTheDirectoryAsUsersKnowIt) {
    fs::create_directories(path("here"));
    const Fd opened = open_directory(path("here"));
    EXPECT_EQ(Error("is wrong", name_of_open(opened, path("here")) / "file").what(),
              (path("here") / "file").string() + ": is wrong");
}

}  // namespace
}  // namespace ovni::test
