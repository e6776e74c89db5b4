#include "base/file_window.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "tests/support/stream_test.hpp"

namespace ovni::test {

namespace {

class FileWindowTest : public ::testing::Test {
 protected:
    std::string file_of(size_t size) {
        std::mt19937 random(1);
        content_.resize(size);
        for (char& c : content_) c = static_cast<char>(random());
        std::ofstream(path(), std::ios::binary) << content_;
        return path();
    }
    std::string path() const { return directory_.path() / "file"; }
    // All of the window is as in the file.
    void expect_content(const FileWindow& window) const {
        ASSERT_LE(window.begin(), window.end());
        ASSERT_EQ(std::string(reinterpret_cast<const char*>(window.at(window.begin())),
                              window.end() - window.begin()),
                  content_.substr(window.begin(), window.end() - window.begin()));
    }

 private:
    TemporaryDirectory directory_;
    std::string content_;
};

TEST_F(FileWindowTest, ASmallFileIsReadWhole) {
    FileWindow window(file_of(100), 100);
    EXPECT_EQ(window.size(), 100u);
    EXPECT_EQ(window.end(), 100u);
    expect_content(window);
    std::filesystem::remove(path());
    window.ensure(0, 100);
    expect_content(window);
}

TEST_F(FileWindowTest, AnEmptyFileHasNoBytes) {
    FileWindow window(file_of(0), 100);
    EXPECT_EQ(window.size(), 0u);
    EXPECT_EQ(window.end(), 0u);
}

TEST_F(FileWindowTest, WhatIsNoRegularFileIsAnError) {
    EXPECT_ERROR(FileWindow("/dev/null", 100), "not a regular file");
    EXPECT_ERROR(FileWindow("/", 100), "not a regular file");
    EXPECT_ERROR(FileWindow(path(), 100), "cannot open");
}

TEST_F(FileWindowTest, TooManyOpenFilesSayHowToGoOn) {
    const std::string file = file_of(100);
    rlimit limit{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const rlimit none{0, limit.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    EXPECT_ERROR(FileWindow(file, 100), "cannot open: Too many open files: allow more with ulimit -n");
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

TEST_F(FileWindowTest, KeepsWhatItIsTold) {
    std::mt19937 random(2);
    for (size_t block : {1, 7, 64, 500}) {
        FileWindow window(file_of(5000), block);
        uint64_t keep = 0;
        for (uint64_t to = 0; to < window.size();) {
            to = std::min<uint64_t>(window.size(), to + random() % (2 * block + 1));
            if (random() % 3 == 0) keep += random() % (std::min(window.end(), to) - keep + 1);
            window.ensure(keep, to);
            ASSERT_LE(window.begin(), keep);
            ASSERT_GE(window.end(), to);
            ASSERT_NO_FATAL_FAILURE(expect_content(window));
        }
    }
}

TEST_F(FileWindowTest, SkipsWhatLiesBeforeWhatItKeeps) {
    std::mt19937 random(3);
    for (size_t block : {1, 7, 64, 500}) {
        FileWindow window(file_of(5000), block);
        for (uint64_t keep = 0; keep < window.size(); keep += random() % (4 * block) + 1) {
            uint64_t to = std::min<uint64_t>(window.size(), keep + random() % (2 * block));
            window.ensure(keep, to);
            ASSERT_GE(window.end(), to);
            ASSERT_NO_FATAL_FAILURE(expect_content(window));
        }
    }
}

TEST_F(FileWindowTest, MemoryThatGrewGoesAgain) {
    constexpr uint64_t block = 100;
    FileWindow window(file_of(20'000), block);
    window.ensure(0, 5000);
    for (uint64_t at = 5000; at < 15'000; at += 10) window.ensure(at - 10, at);
    EXPECT_LE(window.end() - window.begin(), block);
}

TEST_F(FileWindowTest, ChangedBytesStayChanged) {
    FileWindow window(file_of(1000), 100);
    window.bytes(90, 91)[0] ^= 0xff;
    uint8_t changed = *window.at(90);
    window.ensure(80, 500);
    EXPECT_EQ(*window.at(90), changed);
}

TEST_F(FileWindowTest, AFileThatBecomesShorterIsAnError) {
    FileWindow window(file_of(1000), 100);
    ASSERT_EQ(::truncate(path().c_str(), 150), 0);
    EXPECT_ERROR_AT(window.ensure(90, 300), 150);
    expect_content(window);
}

}  // namespace

}  // namespace ovni::test
