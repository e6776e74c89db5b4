// Tables as CSV (RFC 4180, with line feeds only). Several tables become one, so that any reader takes them:
// the first column names the table, then come the columns of all; cells of columns that a table lacks are
// empty.
#include <algorithm>
#include <iterator>
#include <optional>

#include "tools/top/table_writers.hpp"

namespace ovni {

namespace {

std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string all = "\"";
    for (const char c : text) all.append(c == '"' ? 2 : 1, c);
    return all + "\"";
}

std::vector<std::string> names_of_columns(std::span<const DataTable> tables) {
    std::vector<std::string> names;
    for (const DataTable& table : tables)
        for (const DataColumn& column : table.columns)
            if (!column.name.empty() && std::ranges::find(names, column.name) == names.end())
                names.push_back(column.name);
    return names;
}

// The column of the table by that name.
std::optional<size_t> place_of(const std::string& name, const DataTable& table) {
    const auto found = std::ranges::find(table.columns, name, &DataColumn::name);
    if (found == table.columns.end()) return std::nullopt;
    return found - table.columns.begin();
}

void write_line(const std::vector<std::string>& cells, TextOutput& out) {
    auto to = std::back_inserter(out.text());
    for (size_t c = 0; c < cells.size(); ++c) fmt::format_to(to, "{}{}", c == 0 ? "" : ",", quoted(cells[c]));
    fmt::format_to(to, "\n");
    out.write();
}

void write_csv(std::span<const DataTable> tables, TextOutput& out) {
    const std::vector<std::string> names = names_of_columns(tables);
    const bool has_several = tables.size() > 1;
    std::vector<std::string> line;
    if (has_several) line.emplace_back("table");
    line.insert(line.end(), names.begin(), names.end());
    write_line(line, out);
    for (const DataTable& table : tables) {
        std::vector<std::optional<size_t>> places;
        for (const std::string& name : names) places.push_back(place_of(name, table));
        for (const DataTable::Row& row : table.rows) {
            line.clear();
            if (has_several) line.push_back(table.name);
            for (const std::optional<size_t>& place : places)
                line.push_back(place && *place < row.size() ? text_of(row[*place]) : "");
            write_line(line, out);
        }
    }
    out.flush();
}

}  // namespace

const TableWriter csv_writer = {{"csv", "", "", "",
                                 "Print the table as CSV with full precision, for other programs: see --help "
                                 "tables. Several tables stand below each "
                                 "other; the first column names them."},
                                write_csv};

}  // namespace ovni
