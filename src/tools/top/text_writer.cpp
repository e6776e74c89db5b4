// Tables for people: columns of a fixed width.
#include <algorithm>
#include <iterator>

#include "tools/top/table_writers.hpp"

namespace ovni {

namespace {

using Text = DataColumn::Text;

std::string cell_text(const Cell& cell, const Text& text) {
    return cell.is_empty() ? text.empty : text.form(cell);
}

// The last column has no blanks behind it.
class Line {
 public:
    explicit Line(TextOutput& out) : out_(out) {}
    void add(const Text& column, const std::string& text) {
        if (!is_first_) line_.append(column.gap, ' ');
        is_first_ = false;
        line_.append(std::exchange(behind_, 0), ' ');
        const size_t width = fmt::formatted_size("{:{}}", text, column.width) - text.size();
        if (column.side == Text::Side::right) line_.append(width, ' ');
        line_ += text;
        if (column.side == Text::Side::left) behind_ = width;
    }
    void end() {
        fmt::format_to(std::back_inserter(out_.text()), "{}\n", line_);
        out_.write();
    }

 private:
    TextOutput& out_;
    std::string line_;
    size_t behind_ = 0;  // blanks that fill the last column
    bool is_first_ = true;
};

// Empty cells at the end are not printed.
size_t columns_of(const DataTable& table, const DataTable::Row& row) {
    size_t end = row.size();
    while (end > 0 && (!table.columns[end - 1].text.is_shown ||
                       (row[end - 1].is_empty() && table.columns[end - 1].text.empty.empty())))
        --end;
    return end;
}

void write_headings(const DataTable& table, TextOutput& out) {
    Line line(out);
    for (const DataColumn& column : table.columns)
        if (column.text.is_shown) line.add(column.text, column.text.heading);
    line.end();
}

void write_row(const DataTable& table, const DataTable::Row& row, TextOutput& out) {
    Line line(out);
    for (size_t c = 0; c < columns_of(table, row); ++c)
        if (const Text& text = table.columns[c].text; text.is_shown) line.add(text, cell_text(row[c], text));
    line.end();
}

// The heading of a column stands in front of its cells.
void write_transposed(const DataTable& table, TextOutput& out) {
    constexpr size_t least = 12;
    const size_t count = std::min(table.rows.size(), table.most_rows);
    std::vector<Text> places(count, Text{.width = least});
    for (size_t r = 0; r < count; ++r)
        for (size_t c = 0; c < table.columns.size(); ++c)
            places[r].width =
                std::max(places[r].width, cell_text(table.rows[r][c], table.columns[c].text).size());
    for (size_t c = 0; c < table.columns.size(); ++c) {
        const Text& column = table.columns[c].text;
        if (!column.is_shown) continue;
        Line line(out);
        line.add({.width = column.width, .side = Text::Side::left}, column.heading);
        for (size_t r = 0; r < count; ++r) line.add(places[r], cell_text(table.rows[r][c], column));
        line.end();
    }
}

}  // namespace

void write_text(std::span<const DataTable> tables, TextOutput& out) {
    for (const DataTable& table : tables) {
        for (const std::string& line : table.before)
            fmt::format_to(std::back_inserter(out.text()), "{}\n", line);
        if (table.form == DataTable::Form::left_out) continue;
        if (table.form == DataTable::Form::transposed) {
            write_transposed(table, out);
            continue;
        }
        if (table.form == DataTable::Form::table) write_headings(table, out);
        for (size_t r = 0; r < std::min(table.rows.size(), table.most_rows); ++r)
            write_row(table, table.rows[r], out);
    }
    out.flush();
}

}  // namespace ovni
