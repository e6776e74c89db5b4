#include "source/code_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "source/resolver.hpp"
#include "trace/call_site.hpp"

namespace ovni {

namespace {

// Headers of the system wrap what the program calls: std::mutex, for example.
bool is_of_system(const SourcePlace& place) {
    return place.file.starts_with("/usr/include/") || place.file.starts_with("/usr/lib/") ||
           place.file.find("/include/c++/") != std::string::npos;
}

const SourcePlace& place_in_program(const SourceFrames& frames) {
    const auto found = std::ranges::find_if_not(frames, is_of_system);
    return found == frames.end() ? frames.front() : *found;
}

}  // namespace

void CodeLines::resolve() {
    Resolver resolver;
    for (auto& [text, line] : lines_) {
        const auto code = parse_code_place(text);
        if (!code) continue;
        const SourceFrames frames = resolver.frames_of(code->module, code->offset);
        const SourcePlace& place = place_in_program(frames);
        line.function = place.function;
        const std::string file = code->module.path.substr(code->module.path.rfind('/') + 1);
        if (place.file.empty())
            line.line = fmt::format("{}+0x{:x}", file, code->offset);
        else
            line.line = fmt::format("{}:{}", place.file.substr(place.file.rfind('/') + 1), place.line);
    }
}

std::string text_of(const CodeLines::Line& line) {
    return line.function.empty() || line.line.empty() ? line.function + line.line
                                                      : line.function + ' ' + line.line;
}

}  // namespace ovni
