#include "messages/matching.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace ovni {

namespace {

// How far lists may be out of step.
constexpr size_t longest_step = 64;

bool may_be_one(const MessageEnd& send, const MessageEnd& receive, bool have_one_clock) {
    if (have_one_clock && receive.wait_end < send.posted) return false;
    constexpr uint64_t unknown = MessageEnd::unknown_bytes;
    return send.bytes == receive.bytes || send.bytes == unknown || receive.bytes == unknown;
}

// The first pair of the longest common subsequence.
std::optional<std::pair<size_t, size_t>> first_in_step(const EndsOfKey& ends, size_t send, size_t receive) {
    const auto sends = ends.sends.subspan(send, std::min(longest_step, ends.sends.size() - send));
    const auto receives =
        ends.receives.subspan(receive, std::min(longest_step, ends.receives.size() - receive));
    // Lengths of the longest ones of all ends of both lists.
    std::array<std::array<uint8_t, longest_step + 1>, longest_step + 1> length{};
    for (size_t s = sends.size(); s-- > 0;)
        for (size_t r = receives.size(); r-- > 0;)
            length[s][r] = may_be_one(sends[s], receives[r], ends.have_one_clock)
                               ? static_cast<uint8_t>(length[s + 1][r + 1] + 1)
                               : std::max(length[s + 1][r], length[s][r + 1]);
    size_t s = 0, r = 0;
    while (length[s][r] > 0) {
        if (may_be_one(sends[s], receives[r], ends.have_one_clock)) return std::pair(send + s, receive + r);
        ++(length[s + 1][r] >= length[s][r + 1] ? s : r);
    }
    return std::nullopt;
}

bool are_of_several_threads(std::span<const MessageEnd> ends) {
    return std::ranges::any_of(ends, [&](const MessageEnd& end) { return end.stream != ends[0].stream; });
}

// How many ends in front come before anything may be missing.
size_t count_complete(std::span<const MessageEnd> ends) {
    auto first = std::ranges::find_if(ends, [](const MessageEnd& end) { return end.behind_gap != 0; });
    return static_cast<size_t>(first - ends.begin());
}

// The receives up to the last one that was completed.
std::span<const MessageEnd> until_last_completed(std::span<const MessageEnd> receives) {
    while (!receives.empty() && !receives.back().has_ended()) receives = receives.first(receives.size() - 1);
    return receives;
}

}  // namespace

MatchCounts match(const EndsOfKey& all, const TakeMatch& take) {
    const EndsOfKey ends{all.sends, until_last_completed(all.receives), all.have_one_clock};
    MatchCounts counts;
    counts.is_unordered = are_of_several_threads(ends.sends) || are_of_several_threads(ends.receives);
    const size_t complete_sends = count_complete(ends.sends),
                 complete_receives = count_complete(ends.receives);
    size_t s = 0, r = 0;
    auto leave_until = [&](size_t send, size_t receive) {
        for (; s < send; ++s) take(&ends.sends[s], nullptr);
        for (; r < receive; ++r)
            if (ends.receives[r].has_ended()) take(nullptr, &ends.receives[r]);
    };
    while (s < complete_sends && r < complete_receives) {
        if (may_be_one(ends.sends[s], ends.receives[r], ends.have_one_clock)) {
            const bool is_pair = ends.receives[r].has_ended();
            take(&ends.sends[s++], is_pair ? &ends.receives[r] : nullptr);
            ++r;
            counts.matched += is_pair;
            continue;
        }
        counts.is_realigned = true;
        auto next = first_in_step(ends, s, r);
        if (next)
            leave_until(next->first, next->second);
        else
            leave_until(std::min(s + longest_step, ends.sends.size()),
                        std::min(r + longest_step, ends.receives.size()));
    }
    leave_until(ends.sends.size(), ends.receives.size());
    return counts;
}

}  // namespace ovni
