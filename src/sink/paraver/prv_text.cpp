#include "sink/paraver/prv_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <ctime>
#include <limits>
#include <string_view>

namespace ovni {

namespace {

constexpr int64_t times_in_block = 10000;
constexpr size_t longest_number = 20;

struct FourDigits {
    std::array<std::array<char, 4>, times_in_block> text{};
};
constexpr FourDigits four_digits = [] {
    FourDigits table;
    for (size_t n = 0; n < table.text.size(); ++n)
        for (size_t i = 0, rest = n; i < 4; ++i, rest /= 10)
            table.text[n][3 - i] = static_cast<char>('0' + rest % 10);
    return table;
}();

char* put_text(char* out, std::string_view text) {
    std::memcpy(out, text.data(), text.size());
    return out + text.size();
}

template <class Number>
char* put_number(char* out, Number number) {
    return std::to_chars(out, out + longest_number, number).ptr;
}

char* put_any_row(char* out, uint64_t row) {
    return put_text(put_number(put_text(out, "2:0:1:1:"), row + 1), ":");
}

char* put_any_tail(char* out, uint32_t number, int64_t value) {
    out = put_number(put_text(out, ":"), number);
    return put_text(put_number(put_text(out, ":"), value), "\n");
}

// 19/01/38 at 03:14
constexpr int64_t date_of_reference = std::numeric_limits<int32_t>::max();

std::string date_of(int64_t seconds) {
    const std::time_t time = seconds;
    std::tm utc{};
    ::gmtime_r(&time, &utc);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%d/%m/%y at %H:%M", &utc)};
}

}  // namespace

std::string prv_date(std::optional<int64_t> began) {
    return date_of(began.value_or(date_of_reference));
}

std::string prv_header(size_t rows, int64_t duration, std::optional<int64_t> began) {
    return fmt::format("#Paraver ({}):{:020}_ns:0:1:1({}:1)\n", prv_date(began), duration, rows);
}

PrvText::PrvText(TraceFile file, size_t rows, const FileSchema& schema)
    : row_(file == TraceFile::thread ? &Record::thread_row : &Record::cpu_row),
      expanded_type_(schema.expanded_type),
      expansions_(schema.expansions) {
    constexpr size_t most_rows = 32768;  // a larger table takes longer to read than to compute
    rows_.resize(std::min(rows, most_rows));
    for (size_t row = 0; row < rows_.size(); ++row) rows_[row] = row_piece(row);
    for (const EventType& type : schema.types) {
        if (type.number == 0) continue;
        while (numbers_.size() <= type.type) numbers_.push_back(static_cast<uint32_t>(numbers_.size()));
        numbers_[type.type] = type.number;
    }
}

PrvText::Piece PrvText::row_piece(uint64_t row) {
    Piece piece;
    piece.length = static_cast<uint8_t>(put_any_row(piece.text.data(), row) - piece.text.data());
    return piece;
}

// Returns by value, so that the caller can keep the block in registers.
[[gnu::noinline]] PrvText::TimeBlock PrvText::block_around(int64_t time) {
    TimeBlock found;
    int64_t high = time / times_in_block;
    char* begin = found.high.text.data();
    found.block = high * times_in_block;
    found.high.length = static_cast<uint8_t>(put_number(begin, high) - begin);
    return found;
}

inline char* PrvText::put(char* out, const Piece& piece) {
    std::memcpy(out, &piece, sizeof piece);
    return out + piece.length;
}

inline char* PrvText::put_time(char* out, int64_t time, TimeBlock& cached) {
    if (time < cached.block || time - cached.block >= times_in_block) {
        if (time < times_in_block) return put_number(out, time);
        cached = block_around(time);
    }
    out = put(out, cached.high);
    std::memcpy(out, four_digits.text[static_cast<size_t>(time - cached.block)].data(), 4);
    return out + 4;
}

[[gnu::noinline]] char* PrvText::put_untabulated_tail(char* out, uint16_t type, int64_t value) {
    if (type == expanded_type_ && type != 0)
        return put_text(put_text(out, expansions_[static_cast<size_t>(value)]), "\n");
    bool small = value >= 0 && value < static_cast<int64_t>(values_tabulated);
    if (small && type < types_tabulated) {
        tails_[type] = std::make_unique<Piece[]>(values_tabulated);
        for (size_t v = 0; v < values_tabulated; ++v) {
            Piece& piece = tails_[type][v];
            char* end = put_any_tail(piece.text.data(), shown(type), static_cast<int64_t>(v));
            piece.length = static_cast<uint8_t>(end - piece.text.data());
        }
    }
    return put_any_tail(out, shown(type), value);
}

PrvText::Progress PrvText::format(std::span<const Record> records, std::span<char> room) {
    Progress progress;
    if (room.size() < slack) return progress;
    char* out = room.data();
    const char* const last_start = room.data() + (room.size() - slack);
    const std::span<const Piece> rows = rows_;
    const auto row_of = row_;
    TimeBlock time = time_;  // a local: bytes written through `out` could change a member
    size_t taken = 0;
    for (; taken < records.size() && out <= last_start; ++taken) {
        const Record& record = records[taken];
        uint32_t row = record.*row_of;
        if (row == Record::no_row) continue;
        out = row < rows.size() ? put(out, rows[row]) : put_any_row(out, row);
        out = put_time(out, record.time, time);
        const Piece* tails = record.type < types_tabulated ? tails_[record.type].get() : nullptr;
        if (tails && static_cast<uint64_t>(record.value) < values_tabulated)
            out = put(out, tails[record.value]);
        else
            out = put_untabulated_tail(out, record.type, record.value);
    }
    time_ = time;
    progress.records = taken;
    progress.bytes = static_cast<size_t>(out - room.data());
    return progress;
}

// The times are those of the calls: the send begins and ends, the receive begins and is complete.
size_t PrvText::format(const MessageRecord& message, std::span<char, slack> room) {
    // The size and the tag have 32 bits in the tools that read them.
    constexpr uint64_t most_bytes = INT32_MAX;
    char* out = put_text(room.data(), "3:0:1:1:");
    auto next = [&](auto number) { out = put_text(put_number(out, number), ":"); };
    next(uint64_t{message.sender_row} + 1);
    next(message.time);
    next(message.send_end);
    out = put_text(out, "0:1:1:");
    next(uint64_t{message.receiver_row} + 1);
    next(message.receive_begin);
    next(message.receive_end);
    next(std::min(message.bytes, most_bytes));
    out = put_text(put_number(out, message.tag), "\n");
    return static_cast<size_t>(out - room.data());
}

void PrvText::append(std::span<const Record> records, std::string& text) {
    std::array<char, size_t{32} << 10> chunk;
    while (!records.empty()) {
        Progress progress = format(records, chunk);
        text.append(chunk.data(), progress.bytes);
        records = records.subspan(progress.records);
    }
}

}  // namespace ovni
