// Records as rows of columns, one growing table per channel type and one of messages: in memory as on disk.
// Rows of waits and collectives are those of messages/traffic_rows.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "emu/records/record.hpp"
#include "messages/match/message_record.hpp"
#include "messages/traffic_rows.hpp"

namespace ovni {

// `thread` and `cpu` are rows, or -1: a record that is not shown there.
struct ColumnRow {
    int64_t time = 0;
    int32_t thread = -1, cpu = -1;
    int64_t value = 0;
    friend bool operator==(const ColumnRow&, const ColumnRow&) = default;
};
static_assert(sizeof(ColumnRow) == 24);

// A matched message. `sender` and `receiver` are rows of threads.
struct MessageRow {
    int64_t time = 0, send_end = 0, receive_begin = 0, receive_end = 0;
    uint64_t bytes = 0, communicator = 0;
    int32_t sender = -1, receiver = -1, tag = 0;
    int32_t unused = 0;  // in no column
    friend bool operator==(const MessageRow&, const MessageRow&) = default;
};
static_assert(sizeof(MessageRow) == 64);

// A chunk is compressed as a whole: 384 KiB, of messages 1 MiB, of collectives 1.4 MiB.
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
inline MessageRow message_row(const MessageRecord& message) {
    return {.time = message.time,
            .send_end = message.send_end,
            .receive_begin = message.receive_begin,
            .receive_end = message.receive_end,
            .bytes = message.bytes,
            .communicator = message.communicator,
            .sender = column_row(message.sender_row),
            .receiver = column_row(message.receiver_row),
            .tag = message.tag};
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
