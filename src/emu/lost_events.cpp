#include "emu/lost_events.hpp"

#include <fmt/format.h>

#include <string_view>

namespace ovni {

namespace {

std::string counted(uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

void LostEvents::add(uint32_t thread_row, const Gap& gap) {
    if (gap.lost == 0) return;
    thread_rows.insert(thread_row);
    by_reason[gap.reason.empty() ? "no reason given" : gap.reason] += gap.lost;
}

std::string LostEvents::sentence() const {
    if (by_reason.empty()) return "";
    WideSum lost;
    std::string reasons;
    for (const auto& [reason, events] : by_reason) {
        lost += events;
        std::string number = by_reason.size() > 1 ? fmt::format("{} ", events.number()) : "";
        reasons += (reasons.empty() ? "" : ", ") + number + reason;
    }
    return fmt::format("{} of {} {} lost ({})", counted(lost.number(), "event"),
                       counted(thread_rows.size(), "thread"), lost.number() == 1 ? "was" : "were", reasons);
}

}  // namespace ovni
