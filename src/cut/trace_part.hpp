// A trace as a program reads it: all of it, or the part that its focus chooses, which is cut first, into
// private files. So a program shows for a part exactly what it shows for the output of ovnicut. Messages name
// the whole trace, never the private files.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "cut/cut_options.hpp"
#include "cut/cut_writer.hpp"
#include "cut/private_directory.hpp"
#include "trace/clock_sources.hpp"
#include "trace/trace.hpp"

namespace ovni {

class TracePart {
 public:
    // Cuts if the focus is not whole. `beside`: the name of the private directory, to which a number is
    // added. Throws what TraceCut throws; then no files are left.
    TracePart(std::filesystem::path trace, const CutOptions& options, const std::filesystem::path& beside);

    // The summary of the cut; missing for a whole trace.
    const std::optional<CutSummary>& cut() const { return cut_; }
    // The directory of the files: the trace itself, or the private one, as long as this lives.
    const std::filesystem::path& files() const { return private_ ? private_->path() : trace_; }
    Trace open(Metadata metadata = Metadata::interpreted) const;
    ClockSources clock_sources() const;

 private:
    std::filesystem::path trace_;
    std::optional<std::string> clock_table_;
    std::unique_ptr<PrivateDirectory> private_;
    std::optional<CutSummary> cut_;
};

// The line that says how much of the trace the part has.
std::string sentence_of(const CutSummary& cut, const std::filesystem::path& trace);

}  // namespace ovni
