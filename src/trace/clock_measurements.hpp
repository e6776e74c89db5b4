// All that is known of the clocks of hosts from measurements against one reference, by the streams of a trace
// and by ovnisync.
#pragma once

#include <map>
#include <string>

#include "trace/clock_file.hpp"
#include "trace/trace.hpp"

namespace ovni {

class ClockMeasurements {
 public:
    // Of the streams that say something; the reference is that of the first.
    static ClockMeasurements of_streams(const Trace& trace);

    // Adds those of a file, unless it has another reference. Measurements that contradict those that are
    // there are left out, with a warning: clocks of one rate to 1e-4 cannot have gone from one to the other
    // within their bounds. False where the reference is another one.
    bool unite(const ClockFile& file, const std::string& path);

    bool empty() const { return nodes_.empty(); }
    const std::map<std::string, NodeClock>& nodes() const { return nodes_; }

 private:
    void add(const std::string& host, const ClockMeasurement& measurement, const std::string& source);

    std::string reference_;
    std::map<std::string, NodeClock> nodes_;  // by the host's name up to the first dot
};

}  // namespace ovni
