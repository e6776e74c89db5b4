// All measurements of the clocks of hosts against one reference, from the streams of a trace and from
// ovnisync.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "trace/clock_file.hpp"
#include "trace/trace.hpp"

namespace ovni {

class ClockMeasurements {
 public:
    // The measurements in the streams; the reference is that of the first stream that has some.
    static ClockMeasurements of_streams(const Trace& trace);

    // Adds the measurements of a file; returns false if its reference is another one. Leaves out, with a
    // warning, measurements that contradict earlier ones: a clock whose rate is right to 1e-4 cannot satisfy
    // both within their bounds.
    bool unite(const ClockFile& file, const std::string& path);

    bool empty() const { return nodes_.empty(); }
    const std::map<std::string, NodeClock, std::less<>>& nodes() const { return nodes_; }

 private:
    // `time_offset`: of the clock that was measured. All measurements of a host are converted to those of its
    // first clock.
    void add(const std::string& host, int64_t time_offset, const ClockMeasurement& measured,
             const std::string& source);

    std::string reference_;
    std::map<std::string, NodeClock, std::less<>> nodes_;  // by the host's name up to the first dot
};

}  // namespace ovni
