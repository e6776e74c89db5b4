// A small table of named columns. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace ovni {

struct TableColumn {
    std::string name;
    std::string about;  // the meaning of the values, with their unit
    std::variant<std::vector<int64_t>, std::vector<std::string>> values;
};

// All columns have one length.
struct Table {
    std::string path;  // with '/' between groups: "rows/threads"
    std::string about;
    std::vector<TableColumn> columns;

    size_t rows() const {
        if (columns.empty()) return 0;
        return std::visit([](const auto& values) { return values.size(); }, columns[0].values);
    }
};

}  // namespace ovni
