// The programs of the benchmark of the writer, with few events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.hpp"
#include "ovni/format.h"
#include "tests/bench/writer/histogram.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string writer_bench = std::string(BUILD_DIR) + "/bench/writer-bench";

class WriterBench : public testing::Test {
 protected:
    std::vector<json> lines(const std::vector<std::string>& words) {
        Finished done = run(words, {"OVNI_TRACEDIR=" + trace().string()});
        EXPECT_EQ(done.status, 0) << done.err;
        std::vector<json> result;
        std::istringstream text(done.out);
        for (std::string line; std::getline(text, line);) result.push_back(json::parse(line));
        return result;
    }
    // Emits and counts, with that in front of the command.
    void expect_complete(std::vector<std::string> words) {
        for (const char* word :
             {writer_bench.c_str(), "rate", "emit-16", "--threads", "2", "--slices", "3", "--events", "1000"})
            words.emplace_back(word);
        std::vector<json> printed = lines(words);
        ASSERT_EQ(printed.size(), 4u) << "three slices and the sum";
        EXPECT_EQ(printed[3]["emitted"], 8000) << "with one slice to warm up";
        EXPECT_EQ(count(), (json{{"streams", 2}, {"events", 8000}, {"out_of_order", 0}}));
    }
    json count() { return lines({writer_bench, "count", trace().string()}).at(0); }
    fs::path trace() const { return directory_.path() / "trace"; }
    fs::path stream() const {
        for (const auto& entry : fs::recursive_directory_iterator(trace()))
            if (entry.path().filename() == "stream.obs") return entry.path();
        return {};
    }

    TemporaryDirectory directory_;
};

TEST_F(WriterBench, WhatAllThreadsEmitIsInTheTrace) {
    expect_complete({});
}

TEST_F(WriterBench, NothingIsLostUnderOvnirun) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    GTEST_SKIP() << "a sanitizer has to be loaded before the libraries that ovnirun preloads";
#endif
    expect_complete({program("ovnirun")});
}

TEST_F(WriterBench, EveryVariantRuns) {
    Finished help = run({writer_bench, "--help"});
    std::istringstream names(help.out.substr(help.out.find("Variants:") + 9));
    std::string variant;
    int variants = 0;
    for (; names >> variant; ++variants) {
        std::vector<json> printed =
            lines({writer_bench, "rate", variant, "--loop", "work", "--events", "100"});
        ASSERT_EQ(printed.size(), 2u) << variant;
        EXPECT_GT(printed[0]["cpu"], 0) << variant;
        EXPECT_GT(printed[0]["base_wall"], 0) << variant;
    }
    EXPECT_GE(variants, 9);
}

TEST_F(WriterBench, QuantilesAscendToTheLongest) {
    std::vector<json> printed = lines({writer_bench, "latency", "api-0", "--events", "10000"});
    ASSERT_EQ(printed.size(), 3u);
    for (const char* of : {"base", "variant"}) {
        const json& line = printed[of == std::string("variant")];
        EXPECT_EQ(line["of"], of);
        double last = 0;
        for (const char* quantile : {"50", "90", "99", "99.9", "99.99", "max"}) {
            EXPECT_GE(line[quantile], last);
            last = line[quantile];
        }
        EXPECT_GT(last, 0);
    }
    EXPECT_EQ(count()["events"], printed[2]["emitted"]);
}

TEST_F(WriterBench, CountSeesAHole) {
    lines({writer_bench, "total", "emit-16", "--events", "100"});
    std::string bytes = read_file(stream());
    constexpr size_t event = OVNI_FORMAT_EVENT_MAX;
    size_t code_in_the_middle = bytes.find("OB.", bytes.size() / 2);
    write_file(stream(), bytes.erase(code_in_the_middle - OVNI_FORMAT_CODE_AT, 2 * event));
    fs::remove(stream().replace_extension(".crc"));
    EXPECT_EQ(count(), (json{{"streams", 1}, {"events", 98}, {"out_of_order", 1}}));
}

TEST_F(WriterBench, RefusesWhatItDoesNotKnow) {
    EXPECT_EQ(run({writer_bench, "rate", "what"}).status, 2);
    EXPECT_EQ(run({writer_bench, "what", "emit-0"}).status, 2);
    EXPECT_EQ(run({writer_bench, "rate", "emit-0", "--loop", "what"}).status, 2);
    EXPECT_EQ(run({writer_bench, "rate", "emit-0", "--threads", "0"}).status, 2);
}

TEST(Histogram, ShortDurationsAndTheLongestAreExact) {
    bench::Histogram histogram;
    for (uint64_t duration = 1; duration <= 50; ++duration) histogram.add(duration);
    histogram.add(1'000'003);
    EXPECT_EQ(histogram.size(), 51u);
    EXPECT_EQ(histogram.quantile(0.5), 25u);
    EXPECT_EQ(histogram.longest(), 1'000'003u);
    EXPECT_EQ(histogram.quantile(1), 1'000'003u);
}

TEST(Histogram, QuantilesAreRightToThreePercent) {
    for (uint64_t duration :
         {uint64_t{64}, uint64_t{127}, uint64_t{1000}, uint64_t{123'456'789}, UINT64_MAX / 3}) {
        bench::Histogram histogram;
        histogram.add(duration);
        histogram.add(UINT64_MAX);
        EXPECT_GE(histogram.quantile(0.5), duration);
        EXPECT_LE(histogram.quantile(0.5) - duration, duration / 32);
        EXPECT_EQ(histogram.longest(), UINT64_MAX);
    }
}

}  // namespace

}  // namespace ovni::test
