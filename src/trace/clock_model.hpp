// Correction of the clocks of nodes: corrected = raw + offset of the host at that time. It comes from
// - the file of option -c alone, of either kind below;
// - else what the streams say themselves (ovni.clock, from MPI_Init, MPI_Finalize and MPI_Pcontrol(3)), and
//   clocks.json in the trace (clock_file.hpp), as measurements of one line;
// - else clock-offsets.txt in the trace (clock_table.hpp).
// Hosts and looms are matched by their names up to the first dot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock_line.hpp"
#include "trace/clock_table.hpp"
#include "trace/trace.hpp"

namespace ovni {

class ClockModel {
 public:
    ClockModel() = default;  // no correction
    // A file that begins with '{' is of the kind of clocks.json. Throws what parse_clock_table() and
    // parse_clock_file() throw.
    static ClockModel read(const std::filesystem::path& file);
    // No correction where nothing is known; the file of an option must exist. Warns of measurements that
    // contradict each other.
    static ClockModel of_trace(const Trace& trace, const std::optional<std::string>& option);

    // Corrects the raw clocks of the looms of that host; nothing without entry.
    const ClockLine& of_loom(std::string_view loom) const;
    bool has_entry(std::string_view loom) const;
    // Warns about an entry without loom and a host without entry; of many looms and no entry at all, once.
    void check(const std::vector<std::string>& looms) const;
    size_t size() const { return lines_.size(); }
    // By how many ns a corrected clock may differ from that of the reference at the measuring points, at
    // most; nothing where nobody has measured that.
    std::optional<int64_t> bound() const { return bound_; }
    // What is to be said of a trace whose corrected clocks lie in [begin, end]: the bound, and how far lines
    // were drawn beyond the measurements. Empty where no bound is known.
    std::string summary(int64_t begin, int64_t end) const;

 private:
    void add(const std::string& host, const ClockLine& line);

    std::map<std::string, ClockLine, std::less<>> lines_;
    std::optional<int64_t> bound_;
    std::string source_;
};

}  // namespace ovni
