#include "tools/message_partners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"

namespace ovni {

namespace {

using EventPosition = std::pair<uint32_t, uint64_t>;  // stream and offset

EventPosition send_position(const Message& message) {
    return {message.send_stream, message.send_offset};
}

EventPosition receive_position(const Message& message) {
    return {message.receive_stream, message.receive_offset};
}

std::vector<uint32_t> streams_in(const Trace& whole, const Trace& shown) {
    std::map<std::filesystem::path, uint32_t> of_path;
    for (uint32_t s = 0; s < whole.streams().size(); ++s)
        of_path[std::filesystem::canonical(whole.files_of(s))] = s;
    std::vector<uint32_t> streams;
    for (uint32_t s = 0; s < shown.streams().size(); ++s) {
        auto known = of_path.find(std::filesystem::canonical(shown.files_of(s)));
        streams.push_back(known == of_path.end() ? MessageEnd::no_stream : known->second);
    }
    return streams;
}

}  // namespace

MessagePartners::MessagePartners(const Trace& whole, const Trace& shown, int64_t zero, const OpenStream& open)
    : whole_(whole), zero_(zero), system_(whole), stream_of_shown_(streams_in(whole, shown)) {
    const ScannedPart all = ScannedPart::all_processes(system_, usable_cores());
    Scanned scanned = scan(whole, system_, all, {.messages = true}, open);
    messages_ = find_messages(Ranks(), whole, system_, StreamOwners(Ranks(), system_, all.processes), scanned)
                    .messages.all();
    std::ranges::sort(messages_, {}, send_position);
    receives_.resize(messages_.size());
    std::iota(receives_.begin(), receives_.end(), 0);
    std::ranges::sort(receives_, {}, [&](uint32_t m) { return receive_position(messages_[m]); });
}

std::string MessagePartners::text(const EventView& event) const {
    if (event.kind != EventView::Kind::event || event.code.model() != 'M') return "";
    const EventPosition position{stream_of_shown_[event.stream], event.offset};
    std::string text;
    for (const Message& message : std::ranges::equal_range(messages_, position, {}, send_position))
        text += end_text("->", message.receive_stream, message.receive_wait_end);
    for (uint32_t m : std::ranges::equal_range(receives_, position, {},
                                               [&](uint32_t i) { return receive_position(messages_[i]); }))
        text += end_text("<-", messages_[m].send_stream, messages_[m].send_posted);
    return text;
}

std::string MessagePartners::end_text(const char* arrow, uint32_t stream, int64_t clock) const {
    const uint32_t process = system_.process_of_stream(stream);
    return fmt::format(" {} {} {} at {}", arrow, names_.full(process),
                       whole_.streams()[stream].relative_path(), clock - zero_);
}

}  // namespace ovni
