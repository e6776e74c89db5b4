// The Paraver output: thread.prv, cpu.prv and the breakdowns, each with its PCF and ROW, in one directory.
// All are collected beside their final names and get those together at the end; without end(), and after an
// error, nothing is left.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "sink/sink.hpp"

namespace ovni {

class PrvSink : public Sink {
 public:
    // `directory` must exist.
    explicit PrvSink(std::filesystem::path directory);
    ~PrvSink() override;

    void begin(const Schema& schema) override;
    void write(std::span<const Record> records) override;
    void write_breakdown(size_t which, std::span<const Record> lines) override;
    // Ending::partial takes the names thread.partial.prv and so on: older complete outputs stay, not vice
    // versa.
    void end(const Schema& schema, int64_t duration, Ending ending) override;

 private:
    class File;
    std::filesystem::path directory_;
    std::vector<std::unique_ptr<File>> files_;  // thread, cpu, breakdowns
};

}  // namespace ovni
