#include "trace/clock_table.hpp"

#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "core/parse_number.hpp"

namespace ovni {

namespace {

constexpr size_t longest_line = 1023;

// Cuts the next word from the line; empty at its end.
std::string_view next_column(std::string_view& line) {
    constexpr std::string_view blanks = " \t\r\v\f";
    size_t first = std::min(line.find_first_not_of(blanks), line.size());
    line.remove_prefix(first);
    std::string_view word = line.substr(0, line.find_first_of(blanks));
    line.remove_prefix(word.size());
    return word;
}

template <class Number>
std::optional<Number> column_number(std::string_view word) {
    if (word.starts_with('+')) word.remove_prefix(1);
    return parse_number<Number>(word);
}

struct Entry {
    std::string host;
    int64_t offset = 0;
};

// The entry of one line; nothing if it is blank. `fail` throws with a cause.
template <class Fail>
std::optional<Entry> entry_of(std::string_view line, Fail fail) {
    std::string_view index = next_column(line);
    if (index.empty()) return std::nullopt;
    std::string_view host = next_column(line);
    std::string_view figures[] = {next_column(line), next_column(line), next_column(line)};
    if (figures[2].empty()) fail("fewer than five fields: index, host, median, mean, deviation");
    if (!column_number<int64_t>(index)) fail("the index is not a number");
    for (std::string_view figure : figures)
        if (!column_number<double>(figure)) fail("a median, mean or deviation is not a number");
    // A double does not hold every whole number of this size.
    if (std::optional<int64_t> whole = column_number<int64_t>(figures[0]))
        return Entry{std::string(host_of_loom(host)), *whole};
    constexpr double beyond = 9223372036854775808.0;  // 2^63
    double median = std::trunc(*column_number<double>(figures[0]));
    if (!(median >= -beyond && median < beyond)) fail("the median is out of range");
    return Entry{std::string(host_of_loom(host)), static_cast<int64_t>(median)};
}

}  // namespace

std::string_view host_of_loom(std::string_view loom) {
    return loom.substr(0, loom.find('.'));
}

ClockTable parse_clock_table(std::string_view text, const std::string& path) {
    if (text.empty()) throw Error("the clock table is empty, not even a header line", path, 0);
    ClockTable table;
    std::string_view rest = text;
    for (uint64_t number_of_line = 1; !rest.empty(); ++number_of_line) {
        auto at = static_cast<uint64_t>(rest.data() - text.data());
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        auto fail = [&](std::string_view what) {
            throw Error(fmt::format("line {}: {}", number_of_line, what), path, at);
        };
        if (line.size() > longest_line) fail("more than 1023 bytes");
        if (number_of_line == 1) continue;
        std::optional<Entry> entry = entry_of(line, fail);
        if (entry && !table.emplace(entry->host, entry->offset).second)
            fail(fmt::format("the host {} for the second time", entry->host));
    }
    if (table.empty()) throw Error("the clock table has no entries", path, text.size());
    return table;
}

std::string clock_table_of(std::string_view text, const std::set<std::string, std::less<>>& hosts) {
    std::string table;
    bool has_host = false;
    for (std::string_view rest = text; !rest.empty();) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        std::string_view words = line;
        next_column(words);
        bool is_of_host = !table.empty() && hosts.contains(host_of_loom(next_column(words)));
        has_host |= is_of_host;
        if (table.empty() || is_of_host) table.append(line) += '\n';
    }
    return has_host ? table : "";
}

}  // namespace ovni
