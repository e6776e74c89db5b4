// Records as rows of columns, one growing table per channel type: in memory as on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "emu/record.hpp"

namespace ovni {

// `thread` and `cpu` are rows, or -1: a record that is not shown there.
struct ColumnRow {
    int64_t time = 0;
    int32_t thread = -1, cpu = -1;
    int64_t value = 0;
    friend bool operator==(const ColumnRow&, const ColumnRow&) = default;
};
static_assert(sizeof(ColumnRow) == 24);

// A chunk is compressed as a whole: 384 KiB.
inline constexpr size_t rows_in_chunk = size_t{16} << 10;

constexpr int32_t column_row(uint32_t row) {
    return static_cast<int32_t>(row);  // no_row becomes -1
}
inline ColumnRow column_row(const Record& record) {
    return {record.time, column_row(record.thread_row), column_row(record.cpu_row), record.value};
}
// The row for a line of a breakdown, which belongs to a thread.
inline ColumnRow breakdown_row(const Record& line) {
    return {line.time, column_row(line.thread_row), 0, line.value};
}
inline bool is_shown(const Record& record) {
    return (record.thread_row & record.cpu_row) != Record::no_row;
}

// Something of each channel type, made when it is first asked for.
template <class Item>
class ByType {
 public:
    Item& operator[](uint16_t type) {
        if (type >= items_.size()) items_.resize(size_t{type} + 1);
        if (!items_[type]) items_[type] = std::make_unique<Item>();
        return *items_[type];
    }
    // The values ascend.
    template <class Visit>
    void visit(Visit visit) {
        for (size_t type = 0; type < items_.size(); ++type)
            if (items_[type]) visit(static_cast<uint16_t>(type), *items_[type]);
    }

 private:
    std::vector<std::unique_ptr<Item>> items_;
};

}  // namespace ovni
