#include "session/check/trace_check.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/error.hpp"
#include "base/log.hpp"
#include "session/check/left_events.hpp"

namespace ovni {

namespace fs = std::filesystem;

namespace {

bool is_named_as_part(const fs::path& directory) {
    constexpr std::array beginnings = {"loom.", "proc.", "thread."};
    const std::string name = directory.filename();
    return std::ranges::any_of(beginnings, [&](const char* begin) { return name.starts_with(begin); });
}

bool has_looms(const fs::path& directory) {
    std::error_code fault;
    for (fs::directory_iterator entry(directory, fault), end; !fault && entry != end; entry.increment(fault))
        if (entry->path().filename().string().starts_with("loom.")) return true;
    return false;
}

}  // namespace

void refuse_part_of_trace(const fs::path& directory) {
    std::error_code fault;
    fs::path whole = fs::canonical(directory, fault);
    if (fault || !is_named_as_part(whole)) return;
    while (is_named_as_part(whole)) whole = whole.parent_path();
    throw Error("is a part of a trace: name the whole, " + whole.string() + ", and choose parts with ovnicut",
                directory.string());
}

void advise_keep_going(const fs::path& trace, const std::string& command) {
    const auto is_of_stream = [begin = (trace / "").string()](std::string_view error) {
        return error.starts_with(begin) && error.find("/stream.") != error.npos;
    };
    log::advise(is_of_stream, command + "--keep-going emulates what is good of a damaged trace");
}

void refuse_no_trace(const Trace& trace, const std::string& option) {
    if (!trace.streams().empty() || has_looms(trace.directory())) return;
    std::string advice =
        "name the directory that ovnirun wrote" + (option.empty() ? "" : ", or accept it with " + option);
    for (const std::string& left : left_events(trace)) advice = left;
    throw Error("no trace is here, neither loom.* nor stream.json; " + advice, trace.directory().string());
}

void refuse_nothing_left(const Trace& trace, const std::vector<Damage>& damages) {
    if (!trace.streams().empty() || damages.empty()) return;
    print(damages);
    throw Error("nothing of the trace is left to emulate, the warnings say why; accept that with --empty-ok",
                trace.directory().string());
}

}  // namespace ovni
