// Runs programs below ovnirun as a user does, and reads the rows of their threads.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/asan_options.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/words.hpp"
#include "trace/trace.hpp"

namespace ovni::test {

// One thread. Those that come one after the other may share a stream.
struct Row {
    int pid = 0, tid = 0;     // of the stream
    std::string name, codes;  // "OHx OHe"
    int cpu = -2;             // of the beginning
    int64_t begin = 0, end = 0;
    StreamMetadata metadata;
    bool is_main() const { return pid == tid; }
};

class Rows : public ::testing::Test {
 protected:
    Rows() { ::setenv("ASAN_OPTIONS", asan_options.c_str(), 1); }

    std::string trace() const { return directory_.path() / "ovni"; }
    std::string output(const std::string& name) const { return directory_.path() / name; }
    Finished traced(const Words& options, const Words& words, const Words& launcher = {}) const {
        constexpr int seconds = 300;
        const Words ovnirun{program("ovnirun"), "-o", trace()};
        return run(launcher + ovnirun + options + words, {"OVNI_PTHREAD=off", "OVNI_OPENMP=off"}, seconds);
    }
    static Words target(const std::string& way, const std::string& count = "") {
        Words words{BUILD_DIR "/tests/threads_target", way};
        if (!count.empty()) words.push_back(count);
        return words;
    }
    static void add_rows_of(const Trace& trace, uint32_t number, std::vector<Row>& rows) {
        const StreamMetadata& metadata = trace.streams()[number].metadata;
        for (StreamReader reader = trace.reader(number, 0, ClockOrder::checked); reader.next();) {
            const EventView& event = reader.event();
            if (event.kind != EventView::Kind::event) continue;
            if (event.code == EventCode("OHx")) {
                rows.push_back({metadata.process->pid, metadata.tid, *metadata.name, "", -2, event.clock,
                                event.clock, metadata});
                std::memcpy(&rows.back().cpu, event.payload().data(), sizeof rows.back().cpu);
            }
            Row& row = rows.back();
            row.codes += (row.codes.empty() ? "" : " ") + std::string(event.code.text().data());
            row.end = event.clock;
        }
    }
    std::vector<Row> rows() const {
        if (!std::filesystem::exists(trace())) return {};
        const Trace found = Trace::open(trace());
        std::vector<Row> rows;
        for (uint32_t number = 0; number < found.streams().size(); ++number) add_rows_of(found, number, rows);
        std::ranges::stable_sort(rows, {}, &Row::begin);
        return rows;
    }
    size_t streams() const { return Trace::open(trace()).streams().size(); }
    void expect_accepted() const {
        const Finished done = run({program("ovniemu"), "-l", trace()}, {}, 120);
        EXPECT_EQ(done.status, 0) << done.err;
    }
    // All have one life, from the beginning to the end, in one run.
    void expect_whole_rows(size_t count) const {
        const std::vector<Row> found = rows();
        EXPECT_EQ(found.size(), count);
        for (const Row& row : found) {
            EXPECT_EQ(row.codes, "OHx OHe") << row.tid;
            EXPECT_FALSE(row.metadata.end) << *row.metadata.end->by;
            EXPECT_GT(row.metadata.common->began, 0);
            EXPECT_EQ(row.metadata.common->began, found[0].metadata.common->began);
        }
        expect_accepted();
    }
    static std::map<int, std::vector<Row>> by_process(const std::vector<Row>& rows) {
        std::map<int, std::vector<Row>> processes;
        for (const Row& row : rows) processes[row.pid].push_back(row);
        return processes;
    }

 private:
    TemporaryDirectory directory_;
};

}  // namespace ovni::test
