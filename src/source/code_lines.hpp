// The lines of code that events of threads describe ("BUILD_ID ADDRESS PATH", ovni/pthread_events.h).
#pragma once

#include <map>
#include <set>
#include <string>

namespace ovni {

class CodeLines {
 public:
    struct Line {
        std::string function, line;  // "solve", "heat.c:12", or "heat+0x12ab"; empty: unknown
    };

    CodeLines() = default;
    // Looks into the files of the programs. What cannot be found has no line.
    template <class Texts>
    explicit CodeLines(const Texts& texts) {
        for (const std::string& text : texts) lines_.try_emplace(text);
        resolve();
    }

    Line of(const std::string& text) const {
        const auto known = lines_.find(text);
        return known == lines_.end() ? Line() : known->second;
    }

 private:
    void resolve();

    std::map<std::string, Line> lines_;
};

// "solve heat.c:12", or what is known of it.
std::string text_of(const CodeLines::Line& line);
// Those of several texts that are known.
template <class Texts>
std::set<std::string> lines_of(const Texts& texts, const CodeLines& known) {
    std::set<std::string> lines;
    for (const std::string& text : texts) lines.insert(text_of(known.of(text)));
    lines.erase("");
    return lines;
}

}  // namespace ovni
