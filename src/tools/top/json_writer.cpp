// Tables as one JSON object: a member for each table, which lists its rows as objects, a line each.
#include <iterator>
#include <nlohmann/json.hpp>

#include "tools/top/table_writers.hpp"

namespace ovni {

namespace {

using Json = nlohmann::ordered_json;

Json as_json(const Cell& cell) {
    return std::visit(
        [](const auto& value) -> Json {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
                return nullptr;
            else
                return value;
        },
        cell.value());
}

std::string as_json(const DataTable& table, const DataTable::Row& row) {
    Json object = Json::object();
    for (size_t c = 0; c < table.columns.size(); ++c)
        if (!table.columns[c].name.empty())
            object[table.columns[c].name] = c < row.size() ? as_json(row[c]) : Json();
    return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void write_json(std::span<const DataTable> tables, TextOutput& out) {
    auto to = std::back_inserter(out.text());
    fmt::format_to(to, "{{");
    for (size_t t = 0; t < tables.size(); ++t) {
        fmt::format_to(to, "{}\n\"{}\": [", t == 0 ? "" : ",", tables[t].name);
        for (size_t r = 0; r < tables[t].rows.size(); ++r) {
            fmt::format_to(to, "{}\n {}", r == 0 ? "" : ",", as_json(tables[t], tables[t].rows[r]));
            out.write();
        }
        fmt::format_to(to, "\n]");
    }
    fmt::format_to(to, "\n}}\n");
    out.flush();
}

}  // namespace

const TableWriter json_writer = {{"json", "", "", "",
                                  "Print the tables as one JSON object with full precision, for other "
                                  "programs: see --help tables. Each table is a "
                                  "member, a list of its rows."},
                                 write_json};

}  // namespace ovni
