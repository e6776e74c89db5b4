#include "tools/event_text.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "base/log.hpp"
#include "base/printable.hpp"
#include "model/counter_deltas.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

constexpr int64_t lower_range = 10'000;  // four digits
constexpr size_t most_digits = 20;

std::string gap_text(const EventView& event) {
    switch (event.kind) {
        case EventView::Kind::gap_begin:
            if (event.gap->lost == 0) return fmt::format("gap begins: {}", event.gap->reason);
            return fmt::format("gap begins: {} events lost, {}", event.gap->lost, event.gap->reason);
        case EventView::Kind::gap_end:
            return "gap ends";
        default:
            return "the stream was cut";
    }
}

struct FourDigits {
    char text[4];
};

constexpr auto lower_digits = [] {
    std::array<FourDigits, lower_range> all{};
    for (size_t i = 0; i < all.size(); ++i) {
        size_t left = i;
        for (size_t at = sizeof all[i].text; at-- > 0; left /= 10)
            all[i].text[at] = static_cast<char>('0' + left % 10);
    }
    return all;
}();

char* print_bytes(char* out, std::span<const uint8_t> payload) {
    constexpr char digits[] = "0123456789abcdef";
    for (uint8_t byte : payload) {
        *out++ = ':';
        *out++ = digits[byte >> 4];
        *out++ = digits[byte & 0xf];
    }
    *out++ = '\n';
    return out;
}

}  // namespace

EventText::EventText(const Trace& trace, PayloadText payload, NameOfSite name_of_site, TextBehind behind)
    : trace_(trace), payload_(payload), name_of_site_(std::move(name_of_site)), behind_(std::move(behind)) {
    for (const Stream& stream : trace.streams()) {
        paths_.emplace_back(stream.relative_path() + "  ");
        longest_path_ = std::max(longest_path_, paths_.back().size());
    }
}

inline LineTemplate& EventText::line_of(EventCode code) {
    std::unique_ptr<LineTemplate>& line = lines_[code];
    if (!line) [[unlikely]]
        line = std::make_unique<LineTemplate>(code);
    return *line;
}

void EventText::set_clock(int64_t higher) {
    higher_ = higher;
    higher_digits_ = PaddedText(fmt::format("{:6}", higher));
}

inline char* EventText::print_clock(char* out, int64_t clock) {
    if (clock < lower_range) [[unlikely]]
        return fmt::format_to(out, "{:10}", clock);
    int64_t higher = clock / lower_range;
    if (higher != higher_) [[unlikely]]
        set_clock(higher);
    out = higher_digits_.copy_to(out);
    const FourDigits& lower = lower_digits[static_cast<size_t>(clock % lower_range)];
    std::memcpy(out, lower.text, sizeof lower.text);
    return out + sizeof lower.text;
}

void EventText::append(fmt::memory_buffer& text, const EventView& event, int64_t clock) {
    if (event.clock < last_clock_) ++backwards_;
    last_clock_ = event.clock;
    if (event.kind != EventView::Kind::event) [[unlikely]]
        return append_gap(text, event, clock);
    constexpr size_t pieces = 4, bytes_in_hex = 3;
    std::span<const uint8_t> payload = event.payload();
    bool hexadecimal = payload_ == PayloadText::hexadecimal;
    size_t room = most_digits + longest_path_ + LineTemplate::longest_description +
                  pieces * PaddedText::piece + (hexadecimal ? bytes_in_hex * payload.size() : 0);
    text.reserve(text.size() + room);
    LineTemplate& line = line_of(event.code);
    char* out = print_clock(text.data() + text.size(), clock);
    out = line.code().copy_to(out);
    out = paths_[event.stream].copy_to(out);
    if (hexadecimal)
        out = print_bytes(out, payload);
    else if (line.describes(event.jumbo()))
        out = line.describe_to(out, payload);
    else
        out = print_unknown(out, line, event);
    text.resize(static_cast<size_t>(out - text.data()));
    if (event.code == EventCode(OVNI_MPI_SITE) && !hexadecimal) [[unlikely]]
        append_site(text, event);
    if (event.code.model() == 'C' && !hexadecimal) [[unlikely]]
        append_counters(text, event);
    if (behind_) [[unlikely]]
        append_behind(text, event);
}

void EventText::append_behind(fmt::memory_buffer& text, const EventView& event) const {
    const std::string more = behind_(event);
    if (more.empty()) return;
    text.resize(text.size() - 1);
    fmt::format_to(std::back_inserter(text), "{}\n", more);
}

// In place of the end of the line.
void EventText::append_site(fmt::memory_buffer& text, const EventView& event) {
    uint32_t site = 0;
    if (event.jumbo() || event.payload().size() < sizeof site) return;
    std::memcpy(&site, event.payload().data(), sizeof site);
    std::string name = name_of_site_ ? name_of_site_(event.stream, site) : "";
    if (name.empty()) return;
    text.resize(text.size() - 1);
    fmt::format_to(std::back_inserter(text), ": {}\n", one_line(name));
}

// Behind the description of deltas: their values, with the names that the stream has for them.
void EventText::append_counters(fmt::memory_buffer& text, const EventView& event) const {
    const std::vector<std::string>& names = trace_.streams()[event.stream].metadata.common->counters;
    if (event.jumbo() || names.empty()) return;
    const std::optional<CounterDeltas> deltas = counter_deltas(event.code, event.payload());
    if (!deltas) return;
    text.resize(text.size() - 1);
    for (size_t i = 0; i < deltas->count; ++i) {
        const size_t place = deltas->first + i;
        fmt::format_to(std::back_inserter(text), "{} {} {}", i == 0 ? ":" : ",",
                       place < names.size() ? one_line(names[place]) : fmt::format("counter {}", place),
                       deltas->values[i]);
    }
    text.push_back('\n');
}

char* EventText::print_unknown(char* out, LineTemplate& line, const EventView& event) {
    if (!line.reported) {
        line.reported = true;
        std::string code = printable(event.code);
        log::error("{}:{}: {}", trace_.path_of(event.stream), event.offset,
                   line.is_known()
                       ? fmt::format("event {} has another kind of payload than its model says", code)
                       : fmt::format("no model knows the event {}", code));
    }
    constexpr std::string_view unknown = "UNKNOWN\n";
    return std::copy(unknown.begin(), unknown.end(), out);
}

void EventText::append_gap(fmt::memory_buffer& text, const EventView& event, int64_t clock) {
    fmt::format_to(std::back_inserter(text), "{:10}  ---  {}  {}\n", clock,
                   trace_.streams()[event.stream].relative_path(), gap_text(event));
}

}  // namespace ovni
