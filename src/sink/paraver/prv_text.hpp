// The text of a PRV file: its header, and one line per record that has a row in the file.
//
// Formatting is most of what an emulator does besides writing, so a line is put together from ready pieces:
// the row and the small values come from tables, of the time only the last four digits change from line to
// line. Every rank of a distributed emulator formats its slice of the records with an object of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emu/records/record.hpp"
#include "emu/records/schema.hpp"
#include "messages/match/message_record.hpp"

namespace ovni {

enum class TraceFile : uint8_t { thread, cpu };

// "19/01/38 at 03:14". `began`: when the run began, in s since 1970; the date is in UTC. Without it, the date
// is that of the reference.
std::string prv_date(std::optional<int64_t> began);

// The width is fixed for a given number of rows: the header that begins a file is overwritten with the
// duration when that is known.
std::string prv_header(size_t rows, int64_t duration, std::optional<int64_t> began = {});

class PrvText {
 public:
    // Room for the longest line, that of a call site with all callers, and for stores that are wider than
    // what they write.
    static constexpr size_t slack = 1024;

    // `rows`: how many rows the file has. `schema`: types whose EventType::number is not 0 are printed with
    // it, and values of its expanded type as their expansions.
    PrvText(TraceFile file, size_t rows, const FileSchema& schema = {});

    // How far format() came: records taken, bytes written.
    struct Progress {
        size_t records = 0;
        size_t bytes = 0;
    };
    // Writes the lines of `records` into `room` until all are written or fewer than `slack` bytes are left.
    Progress format(std::span<const Record> records, std::span<char> room);

    // Writes the line of a message, for which there is that much room. Returns its bytes.
    size_t format(const MessageRecord& message, std::span<char, slack> room);

    void append(std::span<const Record> records, std::string& text);

 private:
    // Copied with one 16-byte store.
    struct alignas(16) Piece {
        std::array<char, 15> text{};
        uint8_t length = 0;
    };
    // The text of all but the last four digits of the times from `block` to block + 9999.
    struct TimeBlock {
        int64_t block = 10000;
        Piece high{{'1'}, 1};
    };
    static constexpr size_t types_tabulated = 1024;
    static constexpr size_t values_tabulated = 256;

    static Piece row_piece(uint64_t row);
    static TimeBlock block_around(int64_t time);
    static char* put(char* out, const Piece& piece);
    static char* put_time(char* out, int64_t time, TimeBlock& cached);
    char* put_untabulated_tail(char* out, uint16_t type, int64_t value);
    uint32_t shown(uint16_t type) const { return type < numbers_.size() ? numbers_[type] : type; }

    uint32_t Record::*row_;
    uint32_t expanded_type_;
    std::vector<std::string> expansions_;
    std::vector<Piece> rows_;
    std::vector<uint32_t> numbers_;  // by type; those beyond the end are their own numbers
    TimeBlock time_;
    std::array<std::unique_ptr<Piece[]>, types_tabulated> tails_;
};

}  // namespace ovni
