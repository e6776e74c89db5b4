// Correction of the clocks of nodes: corrected = raw + offset of the host at that time. It comes from
// - the file of option -c alone, of either kind below;
// - else ovni.clock in the streams (from MPI_Init, MPI_Finalize and MPI_Pcontrol(3)) together with
// clocks.json
//   in the trace (clock_file.hpp), as measurements of one line;
// - else clock-offsets.txt in the trace (clock_table.hpp).
// Hosts are matched by their names up to the first dot.
//
// Streams of one host may be of several time namespaces. Their clocks differ by what the streams say
// themselves (ovni.time_offset), so one line per host is enough: it is that of the namespace in which the
// host was measured or, if that is unknown, of the one nearest to the machine's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/clock_line.hpp"
#include "trace/clock_sources.hpp"
#include "trace/clock_table.hpp"
#include "trace/trace.hpp"

namespace ovni {

// How exact the corrected clocks of a trace are.
struct ClockQuality {
    size_t hosts = 0, measured = 0;  // measured: hosts whose error has a known bound
    int64_t bound = 0;               // ns by which one of them may differ from the reference's when measured
    bool drifts = false;             // measured more than once, so that drift is corrected
    int64_t before = 0, behind = 0;  // ns over which lines were drawn beyond the measuring points
};

class ClockModel {
 public:
    ClockModel() = default;  // no correction
    // No correction if nothing is known; the file of an option must exist. Warns of measurements that
    // contradict each other. Throws what parse_clock_table() and parse_clock_file() throw.
    static ClockModel of_trace(const Trace& trace, const std::optional<std::string>& option);
    // of_trace() with files that have been read before.
    static ClockModel of_sources(const Trace& trace, const ClockSources& sources);

    // Corrects the raw clocks of a host, or of a loom that is named after it; no correction without an entry.
    const ClockLine& of_host(std::string_view host) const;
    bool has_entry(std::string_view host) const;
    // Corrects the raw clocks of a stream: by its host, or by its loom if only that has an entry, as a table
    // made by hand may name looms.
    const ClockLine& of_stream(const StreamMetadata& metadata) const;
    // The error that corrected clocks of the stream may have where they were measured, ns; nothing if it is
    // unknown.
    std::optional<int64_t> bound_of(const StreamMetadata& metadata) const;
    // The names by which the streams of a trace are looked up.
    std::set<std::string> hosts_of(const Trace& trace) const;
    size_t size() const { return clocks_.size(); }
    std::set<std::string> hosts() const;
    // Warns about an entry without streams and about a host without entry; once if many hosts have no entry.
    void check(const std::set<std::string>& hosts) const;
    // For a trace of these hosts whose corrected clocks lie in [begin, end].
    ClockQuality quality(const std::set<std::string>& hosts, int64_t begin, int64_t end) const;
    // quality() in a sentence; empty if no host was measured.
    std::string summary(const std::set<std::string>& hosts, int64_t begin, int64_t end) const;

 private:
    // A file that begins with '{' is of the kind of clocks.json.
    static ClockModel of_file(const ClockSources::File& file);
    static ClockModel of_hosts(const Trace& trace, const ClockSources& sources);
    struct Clock {
        ClockLine line;
        std::optional<int64_t> bound;        // ns
        std::optional<int64_t> time_offset;  // of the clock that was measured
    };
    void add(const std::string& host, Clock clock);
    std::string name_of(const StreamMetadata& metadata) const;
    void separate_namespaces(const Trace& trace);

    std::map<std::string, Clock, std::less<>> clocks_;  // by the host's name up to the first dot
    // Lines of streams whose clock is not that of the host's line, by name and ovni.time_offset.
    std::map<std::pair<std::string, int64_t>, ClockLine> others_;
    std::string source_;
};

}  // namespace ovni
