#include "trace/gaps.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "trace/stream_files.hpp"

namespace ovni {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void damaged(size_t gap, const char* what, const std::string& path) {
    throw Error(fmt::format("gap {}: {}", gap, what), path);
}

int64_t gap_clock(const Json& value, size_t gap, const std::string& path) {
    if (!value.is_number_integer()) damaged(gap, "a clock is not an integer", path);
    bool beyond =
        value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(Gap::to_the_end);
    return beyond ? Gap::to_the_end : value.get<int64_t>();
}

Gap gap_of(const Json& value, size_t number, const std::string& path) {
    auto natural = [&](const char* key, const char* fault) -> uint64_t {
        auto member = value.find(key);
        if (member == value.end() || !member->is_number_unsigned()) damaged(number, fault, path);
        return member->get<uint64_t>();
    };
    Gap gap;
    gap.offset = natural("offset", "no offset");
    if (!value.contains("from")) damaged(number, "no clock of its beginning", path);
    gap.from = gap_clock(value["from"], number, path);
    gap.to = value.contains("to") ? gap_clock(value["to"], number, path) : Gap::to_the_end;
    if (value.contains("lost")) gap.lost = natural("lost", "the number of lost events is not a number");
    if (auto reason = value.find("reason"); reason != value.end()) {
        if (!reason->is_string()) damaged(number, "the reason is not a string", path);
        gap.reason = reason->get<std::string>();
    }
    if (gap.offset < OVNI_FORMAT_STREAM_HEADER) damaged(number, "lies inside the header", path);
    if (gap.to < gap.from) damaged(number, "ends before it begins", path);
    return gap;
}

// Events lie between gaps, so a long list belongs to a long stream.
uint64_t largest_list(const std::string& directory) {
    constexpr uint64_t per_byte = 16;  // a gap has some 90 bytes, an event 12 at least
    try {
        return largest_whole_file + per_byte * check_stream_file(file_in(directory, events_name));
    } catch (const Error&) {
        return largest_whole_file;
    }
}

}  // namespace

std::vector<Gap> read_gaps(const std::string& directory) {
    const std::string path = file_in(directory, gaps_name);
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0 && errno == ENOENT) return {};
    const std::string text = read_file(path, largest_list(directory));
    if (text.empty()) {
        log::warn("{}: is empty: where events are missing is unknown", path);
        return {};
    }
    std::vector<Gap> gaps;
    Json rest = parse_json(text, path, "gaps", [&](const Json& value) {
        Gap gap = gap_of(value, gaps.size(), path);
        if (!gaps.empty() && gap.offset < gaps.back().offset)
            damaged(gaps.size(), "its offset is below that of its predecessor", path);
        if (!gaps.empty() && gap.from < gaps.back().to)
            damaged(gaps.size(), "begins before its predecessor has ended", path);
        gaps.push_back(std::move(gap));
    });
    if (!rest.is_object() || !rest.contains("gaps") || !rest["gaps"].is_array())
        throw Error("no array 'gaps'", path);
    if (!rest["gaps"].empty()) throw Error("an element of 'gaps' is not an object", path);
    return gaps;
}

void write_gaps(const std::filesystem::path& directory, const std::vector<Gap>& gaps) {
    Json list = Json::array();
    for (const Gap& gap : gaps) {
        Json value = {{"offset", gap.offset}, {"from", gap.from}};
        if (gap.to != Gap::to_the_end) value["to"] = gap.to;
        value["lost"] = gap.lost;
        value["reason"] = gap.reason;
        list.push_back(std::move(value));
    }
    write_file(directory / gaps_name,
               Json{{"gaps", std::move(list)}}.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace ovni
