#include "runtime/gaps.hpp"

#include <algorithm>

#include "runtime/json_text.hpp"

namespace ovni {

void Gaps::add(Gap gap) {
    changed_ = true;
    bool goes_on = !gaps_.empty() && gaps_.back().offset == gap.offset && gaps_.back().reason == gap.reason &&
                   gaps_.back().lost > 0 && gap.lost > 0;
    if (!goes_on) return gaps_.push_back(std::move(gap));
    gaps_.back().to = std::max(gaps_.back().to, gap.to);
    gaps_.back().lost += gap.lost;
}

void Gaps::clamp(uint64_t end) {
    for (Gap& gap : gaps_) {
        if (gap.offset <= end) continue;
        gap.offset = end;
        changed_ = true;
    }
}

void Gaps::lose_after(uint64_t end, Gap gap) {
    for (; !gaps_.empty() && gaps_.back().offset > end; gaps_.pop_back()) {
        gap.from = std::min(gap.from, gaps_.back().from);
        gap.to = std::max(gap.to, gaps_.back().to);
        gap.lost += gaps_.back().lost;
    }
    if (!gaps_.empty()) gap.from = std::max(gap.from, gaps_.back().to);
    gap.to = std::max(gap.from, gap.to);
    add(std::move(gap));
}

Gaps Gaps::parse(const char* text) {
    Gaps gaps;
    // Clocks are longer than the numbers of json_parse().
    Json root = Json::parse(text, nullptr, false);
    if (!root.is_object() || !root.contains("gaps")) return gaps;
    for (const Json& item : root["gaps"]) {
        auto number = [&](const char* name, uint64_t otherwise) {
            auto found = item.is_object() ? item.find(name) : item.end();
            return found != item.end() && found->is_number() ? found->get<uint64_t>() : otherwise;
        };
        auto reason = item.is_object() ? item.find("reason") : item.end();
        gaps.gaps_.push_back({number("offset", 0), number("from", 0), number("to", UINT64_MAX),
                              number("lost", 0),
                              reason != item.end() && reason->is_string() ? reason->get<std::string>() : ""});
    }
    return gaps;
}

std::string Gaps::text() const {
    Json list = Json::array();
    for (const Gap& gap : gaps_) {
        Json item;
        item["offset"] = gap.offset;
        item["from"] = gap.from;
        if (gap.to != UINT64_MAX) item["to"] = gap.to;
        item["lost"] = gap.lost;
        item["reason"] = gap.reason;
        list.push_back(std::move(item));
    }
    Json root;
    root["gaps"] = std::move(list);
    return json_text(root, JsonStyle::pretty);
}

}  // namespace ovni
