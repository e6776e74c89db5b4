#include "trace/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "tests/support/stream_test.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;

class TraceTest : public ::testing::Test {
 protected:
    TraceBuilder built_;

    StreamBuilder& stream(const std::string& directory) {
        return built_.thread({.tid = ++tid_, .directory = directory}).event("OB.", 1);
    }
    static std::string paths(const fs::path& directory) {
        std::string text;
        for (const Stream& stream : list_streams(directory)) text += stream.relative_path() + " ";
        return text;
    }

 private:
    int tid_ = 0;
};

TEST_F(TraceTest, StreamsAreSortedByteByByteAtAnyDepth) {
    for (const char* name :
         {"loom.b/proc.1/thread.9", "loom.b/proc.1/thread.10", "loom.a.c/x", "loom.a/x", "a/b/c/d/e", "z"})
        stream(name);
    EXPECT_EQ(paths(built_.write()),
              "a/b/c/d/e loom.a.c/x loom.a/x loom.b/proc.1/thread.10 loom.b/proc.1/thread.9 z ");
}

TEST_F(TraceTest, SharesOfAListingFindWhatOneRankFinds) {
    for (const char* name : {"loom.a/x", "loom.b/x/y", "loom.b/x/z", "loom.c", "loom.c/x"}) stream(name);
    const fs::path directory = built_.file("loom.d/only/stream.obs", "x").write();
    fs::create_directory_symlink("loom.c", directory / "a.link");
    fs::create_directory_symlink("..", directory / "loom.c/loop");
    fs::create_directories(directory / "elsewhere");
    const FoundStreams whole = find_streams(directory);
    EXPECT_THAT(whole.streams,
                testing::ElementsAre("loom.a/x", "loom.b/x/y", "loom.b/x/z", "loom.c", "loom.c/x"));
    EXPECT_THAT(whole.without_metadata, testing::ElementsAre("loom.d/only"));
    EXPECT_EQ(list_top(directory, 3).unvisited,
              (std::vector<std::string>{"elsewhere", "loom.a", "loom.b", "loom.c", "loom.d"}));
    EXPECT_EQ(list_top(directory, 6).unvisited.size(), 0U) << "a level at a time";
    for (size_t enough : {1, 3, 5, 100}) {
        const Listing top = list_top(directory, enough);
        std::vector<Listing> listings = {top};
        for (const std::string& one : top.unvisited) listings.push_back(list_trees(directory, {one}));
        const FoundStreams found = found_in(directory, listings);
        EXPECT_EQ(found.streams, whole.streams) << enough;
        EXPECT_EQ(found.without_metadata, whole.without_metadata) << enough;
    }
}

TEST_F(TraceTest, ThreadsFindWhatOneRankFinds) {
    for (int i = 0; i < 700; ++i) stream("loom." + std::to_string(i) + "/x/y");
    const fs::path directory = built_.write();
    fs::create_directory_symlink("..", directory / "loom.650/loop");
    const FoundStreams found = find_streams(directory);
    EXPECT_EQ(found.streams.size(), 700U);
    EXPECT_TRUE(std::ranges::is_sorted(found.streams));
    EXPECT_EQ(found.streams, found_in(directory, {list_trees(directory, {""})}).streams);
}

TEST_F(TraceTest, StreamsMayLieInsideOfStreams) {
    stream("a");
    stream("a/b");
    EXPECT_EQ(paths(built_.write()), "a a/b ");
}

TEST_F(TraceTest, OneStreamDirectoryIsATrace) {
    stream("a/b").event("OB.", 7);
    fs::path directory = built_.write() / "a/b";
    Trace trace = Trace::open(directory);
    ASSERT_EQ(trace.streams().size(), 1u);
    EXPECT_EQ(trace.streams()[0].relative_path(), "");
    EXPECT_EQ(trace.path_of(0), directory / "stream.obs");
    StreamReader reader = trace.reader(0, 5, ClockOrder::checked);
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.event().clock, 6);
}

TEST_F(TraceTest, TrailingSlashesAndOtherFilesDoNotMatter) {
    stream("a");
    built_.file("thread.prv", "x").file("cfg/stream.obs", "x").file("a/notes", "x");
    EXPECT_EQ(paths(built_.write().string() + "///"), "a ");
}

TEST_F(TraceTest, ATraceMayHaveNoStreams) {
    EXPECT_TRUE(Trace::open(built_.write()).streams().empty());
}

TEST_F(TraceTest, EventsWithoutMetadataAreNotSilentlyLost) {
    built_.file("a/stream.obs", "x").file("c/stream.obs", "x");
    EXPECT_ERROR(list_streams(built_.write()), "a/stream.obs: no stream.json next to it, nor anywhere");
    stream("b");
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(paths(built_.write()), "b ");
    std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("2 streams have no stream.json next to stream.obs and are left out: a, c\n"),
              said.npos)
        << said;
}

TEST_F(TraceTest, AMissingDirectoryIsAnError) {
    EXPECT_ERROR(list_streams(built_.path() / "nowhere"), "nowhere");
}

TEST_F(TraceTest, LoopsOfLinksEnd) {
    stream("a/b");
    fs::path trace = built_.write();
    fs::create_directory_symlink(trace, trace / "a/up");
    fs::create_directory_symlink("..", trace / "a/b/up");
    fs::create_directory_symlink("self", trace / "self");
    fs::create_symlink("nothing", trace / "broken");
    EXPECT_EQ(paths(trace), "a/b ");
}

TEST_F(TraceTest, LinksAreFollowedOnce) {
    stream("x/b");
    fs::path trace = built_.write();
    TraceBuilder other;
    other.thread({.directory = "c"});
    fs::create_directory_symlink(other.write(), trace / "other");
    fs::create_directory_symlink(trace / "x", trace / "again");
    EXPECT_EQ(paths(trace), "other/c x/b ");
}

TEST_F(TraceTest, ManyLinksToEachOtherDoNotMultiply) {
    fs::path trace = built_.write();
    for (int i = 0; i < 30; ++i) fs::create_directory(trace / std::to_string(i));
    for (int i = 0; i + 1 < 30; ++i)
        for (const char* name : {"x", "y"})
            fs::create_directory_symlink(trace / std::to_string(i + 1), trace / std::to_string(i) / name);
    EXPECT_EQ(paths(trace), "");
}

TEST_F(TraceTest, AReadOnlyTraceCanBeRead) {
    stream("a");
    fs::path trace = built_.write();
    for (const char* name : {"a/stream.obs", "a/stream.json", "a", "."})
        ASSERT_EQ(::chmod((trace / name).c_str(), fs::is_directory(trace / name) ? 0500 : 0400), 0);
    EXPECT_TRUE(Trace::open(trace).reader(0, 0, ClockOrder::checked).next());
    ::chmod(trace.c_str(), 0700), ::chmod((trace / "a").c_str(), 0700);
}

TEST_F(TraceTest, DamagedStreamsAreFoundWhenListing) {
    StreamBuilder& damaged = stream("a");
    const std::string bytes = damaged.bytes();
    for (size_t size = 0; size < 8; ++size) {
        damaged.content(bytes.substr(0, size));
        EXPECT_ERROR(list_streams(built_.write()), "a/stream.obs");
    }
    damaged.content(bytes).flip(0);
    EXPECT_ERROR(list_streams(built_.write()), "magic");
    damaged.content(bytes).flip(4);
    EXPECT_ERROR(list_streams(built_.write()), "version");
}

TEST_F(TraceTest, EveryStreamNeedsItsEvents) {
    stream("a");
    fs::path trace = built_.write();
    fs::remove(trace / "a/stream.obs");
    EXPECT_ERROR(list_streams(trace), "cannot open");
    ASSERT_EQ(::mkfifo((trace / "a/stream.obs").c_str(), 0600), 0);
    EXPECT_ERROR(list_streams(trace), "not a regular file");
}

TEST_F(TraceTest, MetadataOfAGiantSizeIsRefused) {
    stream("a");
    fs::path trace = built_.write();
    fs::resize_file(trace / "a/stream.json", uintmax_t{1} << 40);
    EXPECT_ERROR(list_streams(trace), "at most 67108864 are read");
}

TEST_F(TraceTest, AGiantStreamNeedsNoMemory) {
    stream("a");
    fs::path trace = built_.write();
    fs::resize_file(trace / "a/stream.obs", uintmax_t{1} << 36);
    StreamReader reader = Trace::open(trace).reader(0, 0, ClockOrder::checked);
    EXPECT_TRUE(reader.next());
    EXPECT_ERROR(reader.next(), "goes back");
}

TEST_F(TraceTest, MetadataIsCheckedWhenInterpreted) {
    stream("a").unset("ovni.tid");
    EXPECT_ERROR(Trace::open(built_.write()), "a/stream.json");
    EXPECT_EQ(Trace::open(built_.write(), Metadata::version_only).streams().size(), 1u);
}

TEST_F(TraceTest, StreamsReadHereMayBeNamedByAnotherDirectory) {
    stream("a");
    stream("b");
    Trace trace("/elsewhere", list_streams(built_.write()));
    EXPECT_EQ(trace.path_of(1), "/elsewhere/b/stream.obs");
    EXPECT_EQ(trace.streams()[1].metadata.tid, 2);
    EXPECT_EQ(trace.streams()[1].bytes, 20u);
}

}  // namespace

}  // namespace ovni::test
