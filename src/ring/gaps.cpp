#include "ring/gaps.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "ovni/format.h"
#include "ring/json_text.hpp"
#include "ring/own_file.hpp"
#include "ring/posix_io.hpp"

namespace ovni::writer {
namespace {

constexpr const char* file_begin = "{\"gaps\": [\n";
constexpr const char* file_end = "\n]}\n";
constexpr const char* line_end = ",\n";
constexpr size_t reserved_bytes = 4096;

std::string line_of(const Gap& gap) {
    Json item;
    item["offset"] = gap.offset;
    item["from"] = gap.from;
    if (gap.to != UINT64_MAX) item["to"] = gap.to;
    item["lost"] = gap.lost;
    item["reason"] = gap.reason;
    std::string line = json_text(item, JsonStyle::compact);
    while (line.ends_with('\n')) line.pop_back();
    return line;
}

std::optional<Gap> gap_of(const Json& item) {
    if (!item.is_object()) return std::nullopt;
    auto number = [&](const char* name, uint64_t otherwise) {
        auto found = item.find(name);
        return found != item.end() && found->is_number() ? found->get<uint64_t>() : otherwise;
    };
    auto reason = item.find("reason");
    return Gap{number("offset", 0), number("from", 0), number("to", UINT64_MAX), number("lost", 0),
               reason != item.end() && reason->is_string() ? reason->get<std::string>() : ""};
}

}  // namespace

void Gaps::change(size_t first) {
    changed_ = std::min(is_changed_ ? changed_ : gaps_.size(), first);
    is_changed_ = true;
}

void Gaps::add(Gap gap) {
    if (gap.from == gap.to && gap.lost == 0) return end_last(gap);
    gap.offset = std::max<uint64_t>(gap.offset, OVNI_FORMAT_STREAM_HEADER);
    if (gaps_.empty()) {
        gap.to = std::max(gap.from, gap.to);
        change(0);
        return gaps_.push_back(std::move(gap));
    }
    Gap& last = gaps_.back();
    bool is_same_open = last.to == UINT64_MAX && last.reason == gap.reason && last.lost == 0 && gap.lost == 0;
    if (is_same_open && gap.to == UINT64_MAX) return;
    gap.offset = std::max(gap.offset, last.offset);
    bool goes_on = last.offset == gap.offset && last.reason == gap.reason && last.lost > 0 && gap.lost > 0;
    if (!goes_on && last.to == UINT64_MAX) {
        last.to = std::max(last.from, gap.from);
        change(gaps_.size() - 1);
    }
    gap.from = std::max(gap.from, last.to);
    gap.to = std::max(gap.from, gap.to);
    change(gaps_.size() - (goes_on ? 1 : 0));
    if (!goes_on) return gaps_.push_back(std::move(gap));
    last.to = gap.to;
    last.lost += gap.lost;
}

void Gaps::end_last(const Gap& end) {
    if (gaps_.empty() || gaps_.back().to != UINT64_MAX) return;
    gaps_.back().to = std::max(gaps_.back().from, end.to);
    change(gaps_.size() - 1);
}

void Gaps::clamp(uint64_t end) {
    for (size_t i = 0; i < gaps_.size(); ++i) {
        if (gaps_[i].offset <= end) continue;
        gaps_[i].offset = end;
        change(i);
    }
}

void Gaps::lose_after(uint64_t end, Gap gap) {
    for (; !gaps_.empty() && gaps_.back().offset > end; gaps_.pop_back()) {
        gap.from = std::min(gap.from, gaps_.back().from);
        if (gaps_.back().to != UINT64_MAX) gap.to = std::max(gap.to, gaps_.back().to);
        gap.lost += gaps_.back().lost;
        change(gaps_.size() - 1);
    }
    add(std::move(gap));
}

GapMark Gaps::mark() const {
    if (gaps_.empty()) return {};
    return {gaps_.size(), gaps_.back().to, gaps_.back().lost};
}

std::vector<Gap> Gaps::behind(const GapMark& mark) const {
    std::vector<Gap> all;
    if (mark.count > 0 && mark.count <= gaps_.size())
        if (const Gap& last = gaps_[mark.count - 1]; last.to != mark.to || last.lost != mark.lost)
            all.push_back({last.offset, std::max(last.from, std::min(mark.to, last.to)), last.to,
                           last.lost - mark.lost, last.reason});
    for (size_t i = mark.count; i < gaps_.size(); ++i) all.push_back(gaps_[i]);
    return all;
}

void Gaps::go_back_to(const GapMark& mark) {
    bool same = gaps_.size() == mark.count &&
                (mark.count == 0 || (gaps_.back().to == mark.to && gaps_.back().lost == mark.lost));
    if (same) return;
    if (gaps_.size() > mark.count) gaps_.resize(mark.count);
    if (!gaps_.empty() && gaps_.size() == mark.count) {
        gaps_.back().to = mark.to;
        gaps_.back().lost = mark.lost;
    }
    change(0);
}

std::string Gaps::lines_from(size_t first) const {
    std::string text;
    for (size_t i = first; i < gaps_.size(); ++i)
        text.append(i > 0 ? line_end : "").append(line_of(gaps_[i]));
    return text + file_end;
}

bool Gaps::save_whole(const std::string& path) {
    if (!replace_file(path, file_begin + lines_from(0))) return false;
    lines_.clear();
    return true;
}

// A line that follows another one begins with the end of that.
bool Gaps::save(const std::string& path) {
    if (!is_changed_) return true;
    size_t first = std::min(changed_, lines_.size());
    bool is_whole = first == 0;
    uint64_t begin = is_whole ? std::string(file_begin).size() : lines_[first - 1];
    if (is_whole) {
        if (!save_whole(path)) return false;
    } else {
        std::string text = lines_from(first);
        OwnFile file;
        if (!file.open(path, O_WRONLY)) return lines_.clear(), false;
        int fd = file.get();
        bool ok = write_at(fd, text.data(), text.size(), begin) == text.size();
        int error = errno;
        if (!ok) {
            write_at(fd, file_end, std::string(file_end).size(), begin);
            text = file_end;
        }
        ok = ::ftruncate(fd, static_cast<off_t>(begin + text.size())) == 0 && ok;
        lines_.resize(first);
        changed_ = first;
        if (!ok) return errno = error, false;
    }
    lines_.resize(first);
    for (size_t i = first; i < gaps_.size(); ++i) {
        begin += line_of(gaps_[i]).size() + (i > 0 ? std::string(line_end).size() : 0);
        lines_.push_back(begin);
    }
    is_changed_ = false;
    return true;
}

void Gaps::reserve(const std::string& path) {
    reserve_file(path + being_written, reserved_bytes);
}

void Gaps::give_up_reserve(const std::string& path) {
    ::unlink((path + being_written).c_str());
}

Gaps Gaps::load(const std::string& path) {
    Gaps gaps;
    std::optional<std::string> text = read_text(path);
    if (!text) return gaps;
    auto take = [&](const Json& item) {
        std::optional<Gap> gap = gap_of(item);
        if (gap) gaps.gaps_.push_back(std::move(*gap));
        return gap.has_value();
    };
    // Clocks are longer than the numbers of json_parse().
    Json root = Json::parse(*text, nullptr, false);
    if (root.is_object() && root.contains("gaps")) {
        for (const Json& item : root["gaps"]) take(item);
        return gaps;
    }
    for (size_t at = text->find('\n'); at != text->npos;) {
        size_t next = text->find('\n', at + 1);
        std::string line = text->substr(at + 1, next - at - 1);
        if (line.ends_with(',')) line.pop_back();
        if (!take(Json::parse(line, nullptr, false))) break;
        at = next;
    }
    gaps.change(0);
    return gaps;
}

}  // namespace ovni::writer
