// A table of ovnitop as data, which writers (table_writers.hpp) print as text, CSV or JSON. Texts in cells
// are valid UTF-8 in one line.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/wide_sum.hpp"

namespace ovni {

class Cell {
 public:
    using Value = std::variant<std::monostate, std::string, int64_t, uint64_t, double>;

    Cell() = default;                                             // unknown, or without meaning in this row
    Cell(std::string text) : value_(std::move(text)) {}           // NOLINT: a text is a cell
    Cell(std::string_view text) : value_(std::string(text)) {}    // NOLINT
    Cell(const char* text) : value_(std::string(text)) {}         // NOLINT
    Cell(double number) : value_(number) {}                       // NOLINT
    Cell(WideSum sum) : value_(sum.number()) {}                   // NOLINT
    Cell(std::signed_integral auto n) : value_(int64_t{n}) {}     // NOLINT
    Cell(std::unsigned_integral auto n) : value_(uint64_t{n}) {}  // NOLINT

    const Value& value() const { return value_; }
    bool is_empty() const { return std::holds_alternative<std::monostate>(value_); }
    // 0 if it is no number.
    double number() const;

 private:
    Value value_;
};

// In full precision; nothing for an empty cell.
std::string text_of(const Cell& cell);

// The forms of cells in text tables.
std::string as_is(const Cell& cell);
std::string as_seconds(const Cell& nanoseconds);        // 6 digits
std::string as_exact_seconds(const Cell& nanoseconds);  // 9 digits
std::string as_percent(const Cell& percent);
std::string as_ratio(const Cell& ratio);
std::string as_rate(const Cell& rate);
std::string as_short_bytes(const Cell& bytes);  // 3 digits: "1.50M"

struct DataColumn {
    // The place of a column in text. Numbers stand at the right.
    struct Text {
        enum class Side : uint8_t { left, right };
        std::string heading = {};
        size_t width = 0;
        Side side = Side::right;
        std::string (*form)(const Cell& cell) = as_is;
        size_t gap = 1;          // blanks before it, unless it is the first
        std::string empty = {};  // printed for an empty cell
        bool is_shown = true;
    };

    std::string name;  // in CSV and JSON, with its unit; empty: the column is in text only
    Text text;
};

// The usual columns. `name` is the same as in DataColumn.
DataColumn text_column(std::string name, std::string heading, size_t width, size_t gap = 1);
DataColumn number_column(std::string name, std::string heading, size_t width);
DataColumn time_column(std::string name, std::string heading, size_t width);
DataColumn ratio_column(std::string name, std::string heading, size_t width);
// The share of a whole in %, see share().
DataColumn share_column(std::string name = "share_percent");
DataColumn data_column(std::string name);

// Empty if there is no whole.
Cell share(WideSum part, WideSum whole);

struct DataTable {
    enum class Form : uint8_t {
        table,       // a line for each row, below headings
        rows,        // without headings: rows of the table before go on
        transposed,  // a line for each column
        left_out,
    };
    using Row = std::vector<Cell>;  // by column

    std::string name;  // of the member in JSON; of its rows in CSV
    std::vector<DataColumn> columns;
    std::vector<Row> rows = {};
    Form form = Form::table;               // in text
    std::vector<std::string> before = {};  // lines of text before it, or in its place if it is left out
    size_t most_rows = SIZE_MAX;           // in text
};

// From text.
void hide_text(DataTable& table);

}  // namespace ovni
