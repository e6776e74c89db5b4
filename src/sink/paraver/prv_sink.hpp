// The Paraver output: thread.prv, cpu.prv and the breakdowns, each with its PCF and ROW, in one directory.
// Each rank formats its slices. All files are collected next to their final names and get those together at
// the end; without end(), and after an error, nothing is left.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "sink/sink.hpp"

namespace ovni {

class PlacedFile;

class PrvSink : public Sink {
 public:
    // `directory` must exist.
    explicit PrvSink(std::filesystem::path directory);
    ~PrvSink() override;

    void begin(const Ranks& ranks, const Plan& plan) override;
    void share(const Slice& slice) override;
    void write(const Slice& slice) override;
    // Ending::partial takes the names thread.partial.prv and so on: older complete outputs stay. Complete
    // outputs replace partial ones.
    void end(const Outcome& outcome) override;
    uint64_t bytes_written() const override;
    bool needs_traffic() const override { return false; }

 private:
    class File;
    std::vector<PlacedFile*> placed() const;

    std::filesystem::path directory_;
    const Ranks* ranks_ = nullptr;
    std::vector<std::unique_ptr<File>> files_;  // thread, cpu, breakdowns
};

}  // namespace ovni
