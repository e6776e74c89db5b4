// Correction of the clocks of nodes: corrected = raw + offset of the host at that time. From the first of
// these that is there:
// - the file of option -c, of either kind;
// - clocks.json in the trace: offsets that change with time (clock_file.hpp);
// - clock-offsets.txt in the trace, one constant per host:
//     a header line; then: index, host name, median, mean, deviation
//   The median, truncated towards zero, is the offset in ns, to be added.
// Host names are compared up to the first dot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock_line.hpp"

namespace ovni {

// The part of a loom's name before the first dot.
std::string_view host_of_loom(std::string_view loom);

class ClockModel {
 public:
    ClockModel() = default;  // no correction
    // A file that begins with '{' is of the kind of clocks.json. Throws Error with path and byte offset of
    // the line for a line with too few fields, a host name twice, a table without entries or without header;
    // and what parse_clock_file() throws.
    static ClockModel read(const std::filesystem::path& file);
    // No correction where there is no file; that of an option must exist.
    static ClockModel of_trace(const std::filesystem::path& trace, const std::optional<std::string>& option);

    // Corrects the raw clocks of the looms of that host; nothing without entry.
    const ClockLine& of_loom(std::string_view loom) const;
    bool has_entry(std::string_view loom) const;
    // Warns about an entry without loom and a host without entry; of many looms and no entry at all, once.
    void check(const std::vector<std::string>& looms) const;
    size_t size() const { return lines_.size(); }
    // By how many ns a corrected clock may differ from that of the reference at the measuring points, at
    // most; nothing where nobody has measured that.
    std::optional<int64_t> bound() const { return bound_; }

 private:
    void read_table(std::string_view text);
    void read_json(std::string_view text);

    std::map<std::string, ClockLine, std::less<>> lines_;
    std::optional<int64_t> bound_;
    std::string path_;
};

}  // namespace ovni
