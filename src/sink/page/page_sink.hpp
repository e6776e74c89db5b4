// --html: a trace as one page that a browser opens without anything else: its quality, efficiencies, times in
// MPI, messages, waits, and a timeline. The page has at most `most_bytes`, however large the trace is.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "base/file.hpp"
#include "sink/page/page_timeline.hpp"
#include "sink/sink.hpp"

namespace ovni {

class PageSink : public Sink {
 public:
    static constexpr size_t most_bytes = 5'000'000;

    explicit PageSink(std::filesystem::path path) : path_(std::move(path)) {}

    void expect(const Expected& expected) override;
    void begin(const Ranks& ranks, const Plan& plan) override;
    void share(const Slice& slice) override;
    void write(const Slice& slice) override;
    void end(const Outcome& outcome) override;
    bool needs_report() const override { return true; }

 private:
    std::filesystem::path path_;
    std::vector<WaitRow> longest_waits_;
    const Ranks* ranks_ = nullptr;
    std::optional<OutputFile> output_;  // on rank 0
    std::optional<PageTimeline> timeline_;
};

}  // namespace ovni
