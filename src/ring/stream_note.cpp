#include "ring/stream_note.hpp"

#include <string>
#include <string_view>

#include "ring/posix_io.hpp"

namespace ovni::writer {

// Three paths, which may have any byte but zero, each ended by one, and JSON.
std::string StreamNote::text() const {
    std::string text;
    for (const std::string* part : {&roots.trace, &roots.temporary, &place})
        text.append(*part).append(1, '\0');
    return text + json_text(metadata, JsonStyle::compact);
}

void StreamNote::leave_thread_out() {
    place.resize(place.rfind('.') + 1);
    if (Json& ovni = metadata["ovni"]; ovni.is_object()) ovni["tid"] = 0;
}

void StreamNote::name_thread(int tid) {
    if (!place.ends_with('.')) return;
    place += std::to_string(tid);
    if (Json& ovni = metadata["ovni"]; ovni.is_object()) ovni["tid"] = tid;
}

std::optional<StreamNote> StreamNote::read(const std::string& path) {
    std::optional<std::string> text = read_text(path);
    if (!text) return std::nullopt;
    std::string_view rest = *text;
    StreamNote note;
    for (std::string* part : {&note.roots.trace, &note.roots.temporary, &note.place}) {
        size_t end = rest.find('\0');
        if (end == rest.npos) return std::nullopt;
        *part = rest.substr(0, end);
        rest.remove_prefix(end + 1);
    }
    std::optional<Json> metadata = json_parse(std::string(rest).c_str(), JsonNumbers::as_written);
    if (!metadata || !metadata->is_object() || note.place.empty()) return std::nullopt;
    note.metadata = std::move(*metadata);
    return note;
}

uint64_t number_in(const Json& ovni, const char* name) {
    auto found = ovni.find(name);
    return found != ovni.end() && found->is_number() ? found->get<uint64_t>() : 0;
}

}  // namespace ovni::writer
