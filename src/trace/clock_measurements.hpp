// All measurements of the clocks of hosts against one reference, from the streams of a trace and from
// ovnisync.
#pragma once

#include <map>
#include <string>

#include "trace/clock_file.hpp"
#include "trace/trace.hpp"

namespace ovni {

class ClockMeasurements {
 public:
    // Those of the streams that have some; the reference is that of the first.
    static ClockMeasurements of_streams(const Trace& trace);

    // Adds those of a file; returns false if its reference is another one. Leaves out, with a warning, those
    // that contradict earlier ones: a clock whose rate is right to 1e-4 cannot meet both within their bounds.
    bool unite(const ClockFile& file, const std::string& path);

    bool empty() const { return nodes_.empty(); }
    const std::map<std::string, NodeClock>& nodes() const { return nodes_; }

 private:
    void add(const std::string& host, const ClockMeasurement& measurement, const std::string& source);

    std::string reference_;
    std::map<std::string, NodeClock> nodes_;  // by the host's name up to the first dot
};

}  // namespace ovni
