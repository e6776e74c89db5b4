// The second of two passes over a trace that is cut: writes the new one.
#pragma once

#include <csignal>
#include <cstdint>
#include <filesystem>

#include "base/file.hpp"
#include "cut/cut_options.hpp"
#include "cut/cut_plan.hpp"
#include "trace/clock_model.hpp"
#include "trace/trace.hpp"

namespace ovni {

struct CutSummary {
    uint64_t streams = 0, all_streams = 0;  // of the part, of the whole
    uint64_t events = 0;
    // ns since the first event of the whole: the first event of the part, and the limits of its time.
    int64_t begin = INT64_MAX;
    int64_t from = INT64_MIN, to = INT64_MAX;  // none
};

// The path for a new directory of that name. Throws Error if anything but an empty, replaceable directory is
// there, UsageError for the current directory.
std::filesystem::path new_directory(std::filesystem::path path);

// A directory next to `path` that takes its place in commit(), see new_directory(). If there is no commit(),
// the destructor removes it with all that is in it. As long as it is there, SIGINT, SIGTERM and SIGHUP wait.
class OutputDirectory {
 public:
    explicit OutputDirectory(const std::filesystem::path& path);
    ~OutputDirectory();
    OutputDirectory(const OutputDirectory&) = delete;
    OutputDirectory& operator=(const OutputDirectory&) = delete;
    // The name to make files in it: it stays right whatever another user puts in its place.
    std::filesystem::path beside() const;
    void commit();

 private:
    class SignalsWait {
     public:
        SignalsWait();
        ~SignalsWait();

     private:
        sigset_t before_;
    };

    SignalsWait signals_;
    std::filesystem::path path_, beside_;
    Fd held_;
};

// Writes all files of the new trace into `directory`. Throws Error, also if one of these signals has come.
CutSummary write_cut(const Trace& trace, const ClockModel& clocks, const CutOptions& options,
                     const CutPlan& plan, const std::filesystem::path& directory);

}  // namespace ovni
