// Traces with packed streams: ovnicut makes them and plain ones of them, and all programs say the same of
// both.
#include <fmt/format.h>

#include <fstream>

#include "base/file.hpp"
#include "packed/block.hpp"
#include "tests/support/packed_file.hpp"
#include "tests/support/random_trace.hpp"
#include "tests/unit/cut_test.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;

bool has_packed_streams(const fs::path& trace) {
    size_t packed = 0, streams = 0;
    for (const auto& entry : fs::recursive_directory_iterator(trace)) {
        if (entry.path().filename() != "stream.obs") continue;
        const std::string bytes = read_file(entry.path());
        ++streams;
        packed += packed::is_packed({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    }
    EXPECT_TRUE(packed == 0 || packed == streams);
    return packed > 0;
}

// The trace had none before it was packed.
void leave_out_checksums(const fs::path& trace) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(trace))
        if (entry.path().filename() == "stream.crc") files.push_back(entry.path());
    EXPECT_FALSE(files.empty());
    for (const fs::path& file : files) fs::remove(file);
}

class PackedTraces : public CutTest, public testing::WithParamInterface<uint32_t> {
 protected:
    PackedTraces() {
        RandomTrace what;
        what.seed = GetParam();
        what.models = every_model;
        what.events = GetParam() == 2 ? 16'000 : 300;
        what.looms = 2;
        build(builder_, what);
        whole_ = builder_.write();
    }
    fs::path cut_to(const fs::path& trace, const std::string& name, std::vector<std::string> options) {
        const Finished done = try_cut(trace, name, std::move(options));
        EXPECT_EQ(done.status, 0) << done.err;
        return directory() / name;
    }
    static std::string printed(std::vector<std::string> words, const fs::path& trace) {
        words[0] = program(words[0]);
        words.push_back(trace);
        const Finished done = run(words);
        EXPECT_EQ(done.status, 0) << done.err;
        return done.out;
    }

    TraceBuilder builder_;
    fs::path whole_;
};

TEST_P(PackedTraces, ArePlainAgainByteByByte) {
    const fs::path plain = cut_to(whole_, "plain", {"--plain"}),
                   packed = cut_to(whole_, "packed", {"--packed"});
    EXPECT_FALSE(has_packed_streams(plain));
    EXPECT_TRUE(has_packed_streams(packed));
    const fs::path again = cut_to(packed, "again", {"--plain"});
    leave_out_checksums(again);
    expect_same(again, plain);
    expect_same(cut_to(packed, "packed again", {}), packed);
    EXPECT_FALSE(has_packed_streams(cut_to(plain, "plain again", {})));
}

TEST_P(PackedTraces, AreThePlainOnesForAllPrograms) {
    const fs::path plain = cut_to(whole_, "plain", {"--plain"}),
                   packed = cut_to(whole_, "packed", {"--packed"});
    EXPECT_EQ(printed({"ovnidump"}, packed), printed({"ovnidump"}, plain));
    EXPECT_EQ(printed({"ovnitop"}, packed), printed({"ovnitop"}, plain));
    for (const fs::path& trace : {plain, packed}) {
        const Finished done = emulate(trace, {"-l"});
        ASSERT_EQ(done.status, 0) << done.err;
    }
    for (const char* file : {"thread.prv", "cpu.prv", "thread.pcf", "cpu.pcf"})
        EXPECT_TRUE(read_file(packed / file) == read_file(plain / file)) << file;
}

TEST_P(PackedTraces, PartsOfThemAreThoseOfThePlainOnes) {
    const fs::path packed = cut_to(whole_, "packed", {"--packed"});
    const int64_t all = length(whole_);
    const Part part{all / 3, all / 2};
    const fs::path of_packed = cut(packed, "part", part, {"--plain"});
    leave_out_checksums(of_packed);
    expect_same(of_packed, cut(whole_, "part of plain", part, {"--plain"}));
}

class UnsortedPackedTrace : public CutTest {};

TEST_F(UnsortedPackedTrace, IsSortedAsAPlainOne) {
    TraceBuilder builder;
    builder.thread()
        .starts(1000)
        .event("OB.", 1300)
        .event("OU[", 1400)
        .event("OB.", 1200)
        .event("OU]", 1500)
        .ends(2000);
    const fs::path whole = builder.write();
    const fs::path packed = directory() / "packed";
    fs::copy(whole, packed, fs::copy_options::recursive);
    for (const auto& entry : fs::recursive_directory_iterator(packed))
        if (entry.path().filename() == "stream.obs") {
            const PackedFile file = packed_file(read_file(entry.path()), 1000);
            std::ofstream(entry.path(), std::ios::binary) << file.bytes;
        }
    ASSERT_EQ(try_cut(packed, "sorted", {"--sort", "--plain"}).status, 0);
    leave_out_checksums(directory() / "sorted");
    EXPECT_EQ(run({program("ovnisort"), "-c", packed}).status, 1);
    ASSERT_EQ(run({program("ovnisort"), packed}).status, 0);
    EXPECT_TRUE(has_packed_streams(packed));
    EXPECT_EQ(run({program("ovnisort"), "-c", packed}).status, 0);
    ASSERT_EQ(run({program("ovnisort"), whole}).status, 0);
    for (const fs::path& sorted : {whole, packed}) {
        const std::string name = fmt::format("{} plain", sorted.filename().string());
        ASSERT_EQ(try_cut(sorted, name, {"--plain"}).status, 0);
        if (sorted == packed) leave_out_checksums(directory() / name);
        expect_same(directory() / name, directory() / "sorted");
    }
}

INSTANTIATE_TEST_SUITE_P(Random, PackedTraces, testing::Values(1u, 2u, 3u));

}  // namespace

}  // namespace ovni::test
