// Events as lines of text, for ovnidump:
//
//     %10d  CODE  PATH  TEXT        raw clock, code, relative path of the stream
//
// TEXT is the description of the event, or, in hexadecimal, a ":%02x" for every byte of the payload. A gap in
// a stream has a line at its beginning and one at its end, with the code `---`.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/code_table.hpp"
#include "tools/line_template.hpp"
#include "trace/trace.hpp"

namespace ovni {

enum class PayloadText { described, hexadecimal };

class EventText {
 public:
    // The name of a call site of a stream, by its number; may be empty. Null: there are none.
    using NameOfSite = std::function<std::string(uint32_t stream, uint32_t site)>;
    // The text behind an event, from its first space on; may be empty. Null: nothing anywhere.
    using TextBehind = std::function<std::string(const EventView& event)>;
    EventText(const Trace& trace, PayloadText payload, NameOfSite name_of_site = {}, TextBehind behind = {});
    // Appends one line. An event that no model knows is `UNKNOWN`; the first of each code is reported.
    // `clock`: printed as that of the event.
    void append(fmt::memory_buffer& text, const EventView& event, int64_t clock);
    // Events with a lower clock than the one before them.
    uint64_t backwards() const { return backwards_; }

 private:
    LineTemplate& line_of(EventCode code);
    char* print_clock(char* out, int64_t clock);
    void set_clock(int64_t higher);
    void append_counters(fmt::memory_buffer& text, const EventView& event) const;
    char* print_unknown(char* out, LineTemplate& line, const EventView& event);
    void append_gap(fmt::memory_buffer& text, const EventView& event, int64_t clock);
    void append_site(fmt::memory_buffer& text, const EventView& event);
    void append_behind(fmt::memory_buffer& text, const EventView& event) const;

    const Trace& trace_;
    PayloadText payload_;
    NameOfSite name_of_site_;
    TextBehind behind_;
    std::vector<PaddedText> paths_;  // by stream, "PATH  "
    size_t longest_path_ = 0;
    CodeTable<std::unique_ptr<LineTemplate>> lines_;
    // Clocks follow each other closely: the text of their higher digits is kept.
    PaddedText higher_digits_;
    int64_t higher_ = -1;
    int64_t last_clock_ = INT64_MIN;
    uint64_t backwards_ = 0;
};

}  // namespace ovni
