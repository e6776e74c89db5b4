#include "tools/event_text.hpp"

#include <algorithm>
#include <iterator>

#include "base/log.hpp"
#include "model/model_spec.hpp"

namespace ovni {

namespace {

bool is_control(char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
}

std::string gap_text(const EventView& event) {
    switch (event.kind) {
        case EventView::Kind::gap_begin:
            return fmt::format("gap begins: {} events lost, {}", event.gap->lost, event.gap->reason);
        case EventView::Kind::gap_end:
            return "gap ends";
        default:
            return "the stream was cut";
    }
}

}  // namespace

std::string printable(EventCode code) {
    auto text = code.text();
    std::string result(text.data(), 3);
    for (char& c : result)
        if (is_control(c) || c < 0) c = '?';
    return result;
}

void EventText::append(fmt::memory_buffer& text, const EventView& event) {
    if (event.clock < last_clock_) ++backwards_;
    last_clock_ = event.clock;
    bool real = event.kind == EventView::Kind::event;
    fmt::format_to(std::back_inserter(text), "{:10}  {}  {}  ", event.clock,
                   real ? printable(event.code) : "---", trace_.streams()[event.stream].relative_path);
    if (!real)
        text.append(gap_text(event));
    else if (payload_ == PayloadText::hexadecimal)
        append_payload(text, event);
    else
        append_description(text, event);
    text.push_back('\n');
}

void EventText::append_payload(fmt::memory_buffer& text, const EventView& event) {
    constexpr char digits[] = "0123456789abcdef";
    for (uint8_t byte : event.payload()) {
        const char piece[] = {':', digits[byte >> 4], digits[byte & 0xf]};
        text.append(std::begin(piece), std::end(piece));
    }
}

void EventText::append_description(fmt::memory_buffer& text, const EventView& event) {
    const EventEntry& entry = find_event(event.code);
    if (entry.event && entry.signature.jumbo == event.jumbo()) {
        std::string described = describe(entry.event->description, entry.signature, event.payload());
        std::replace_if(described.begin(), described.end(), is_control, '?');
        text.append(described);
        return;
    }
    text.append(std::string_view("UNKNOWN"));
    if (unknown_.insert(event.code.bits()).second)
        log::error("{}:{}: {}", trace_.path_of(event.stream), event.offset,
                   entry.event ? fmt::format("event {} has another kind of payload than its model says",
                                             printable(event.code))
                               : fmt::format("no model knows the event {}", printable(event.code)));
}

}  // namespace ovni
