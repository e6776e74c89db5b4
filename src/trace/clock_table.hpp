// clock-offsets.txt: a constant for the clock of every host.
//     a header line; then: index, host name, median, mean, deviation
// The median, truncated towards zero, is the offset in ns, to be added to the clock of that host. Host names
// are compared up to the first dot.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace ovni {

// The part of a loom's or a host's name before the first dot.
std::string_view host_of_loom(std::string_view loom);

using ClockTable = std::map<std::string, int64_t, std::less<>>;

// Throws Error with path and byte offset of the line for a line with too few fields, a host name twice, a
// table without entries or without header.
ClockTable parse_clock_table(std::string_view text, const std::string& path);

// The header and the lines of these hosts, whatever else is in them; empty if there is no such line.
std::string clock_table_of(std::string_view text, const std::set<std::string, std::less<>>& hosts);

}  // namespace ovni
