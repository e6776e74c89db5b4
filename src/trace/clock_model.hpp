// Correction of the clocks of nodes: corrected = raw + offset(host), from the table clock-offsets.txt:
//     a header line; then: index, host name, median, mean, deviation
// The median, truncated towards zero, is the offset in ns, to be added. Host names are compared up to the
// first dot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ovni {

// The part of a loom's name before the first dot.
std::string_view host_of_loom(std::string_view loom);

class ClockModel {
 public:
    ClockModel() = default;  // no correction
    // Throws Error with path and byte offset of the line for a line with too few fields, a host name twice, a
    // table without entries or without header.
    static ClockModel read(const std::filesystem::path& table);
    // The table of option -c, which must exist; else <trace>/clock-offsets.txt, or no correction where it is
    // missing.
    static ClockModel of_trace(const std::filesystem::path& trace, const std::optional<std::string>& option);

    // To be added to the raw clocks of the looms of that host; 0 without entry.
    int64_t offset(std::string_view loom) const;
    bool has_entry(std::string_view loom) const;
    // Warns about an entry without loom and a host without entry; of many looms and no entry at all, once.
    void check(const std::vector<std::string>& looms) const;
    size_t size() const { return offsets_.size(); }

 private:
    std::map<std::string, int64_t, std::less<>> offsets_;
    std::string path_;
};

}  // namespace ovni
