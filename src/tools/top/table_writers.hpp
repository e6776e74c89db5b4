// The ways to print tables of ovnitop: as text for people, or as data for other programs.
#pragma once

#include <array>
#include <span>

#include "base/manual.hpp"
#include "tools/text_output.hpp"
#include "tools/top/data_table.hpp"

namespace ovni {

using WriteTables = void (*)(std::span<const DataTable> tables, TextOutput& out);

// An option that chooses how tables are printed.
struct TableWriter {
    OptionRow row;
    WriteTables write;
};

// Without an option.
void write_text(std::span<const DataTable> tables, TextOutput& out);

extern const TableWriter csv_writer, json_writer;

inline constexpr std::array table_writers = {&csv_writer, &json_writer};

}  // namespace ovni
