#include "messages/match/matching.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace ovni {

namespace {

// How far lists may be out of step.
constexpr size_t longest_step = 64;

bool may_be_one(const MessageEnd& send, const MessageEnd& receive, bool have_one_clock) {
    if (have_one_clock && receive.wait_end < send.posted) return false;
    constexpr uint64_t unknown = MessageEnd::unknown_bytes;
    return send.bytes == receive.bytes || send.bytes == unknown || receive.bytes == unknown;
}

// The ends of one side that are still to be dealt with. Some are at hand.
class Rest {
 public:
    explicit Rest(const EndsInOrder& ends) : ends_(ends) {}

    // Something is left that comes before anything may be missing.
    bool is_complete() { return !is_empty() && first().behind_gap == 0; }
    bool is_empty() {
        reach(1);
        return at_ == near_.size();
    }
    // References hold until something else is asked.
    const MessageEnd& first() const { return near_[at_]; }
    const MessageEnd& take() { return near_[at_++]; }
    // How many unrecorded ends come first.
    uint64_t unrecorded() const { return first().unrecorded != 0 ? first().bytes - used_ : 0; }
    void skip(uint64_t count) {
        used_ += count;
        if (used_ < first().bytes) return;
        used_ = 0;
        ++at_;
    }
    // The recorded ends from here on, as far as lists may be out of step.
    std::span<const MessageEnd> in_reach() {
        reach(longest_step);
        const auto near = std::span<const MessageEnd>(near_).subspan(at_);
        const auto reached = near.first(std::min(longest_step, near.size()));
        auto run = std::ranges::find_if(reached, [](const MessageEnd& end) { return end.unrecorded != 0; });
        return reached.first(static_cast<size_t>(run - reached.begin()));
    }

 private:
    void reach(size_t count) {
        constexpr size_t most = 256;
        while (near_.size() - at_ < count && !is_read_) {
            near_.erase(near_.begin(), near_.begin() + static_cast<ptrdiff_t>(std::exchange(at_, 0)));
            const size_t known = near_.size();
            near_.resize(known + at_a_time_);
            at_a_time_ = std::min(4 * at_a_time_, most);
            const size_t more = ends_.read(std::span(near_).subspan(known));
            near_.resize(known + more);
            is_read_ = more == 0;
        }
    }

    const EndsInOrder& ends_;
    std::vector<MessageEnd> near_;
    size_t at_ = 0, at_a_time_ = 4;  // most keys have few ends
    uint64_t used_ = 0;              // of the unrecorded ends that come first
    bool is_read_ = false;
};

// The first pair of the longest common subsequence.
std::optional<std::pair<size_t, size_t>> first_in_step(std::span<const MessageEnd> sends,
                                                       std::span<const MessageEnd> receives,
                                                       bool have_one_clock) {
    // Lengths of the longest common subsequences of all ends of both lists.
    std::array<std::array<uint8_t, longest_step + 1>, longest_step + 1> length{};
    for (size_t s = sends.size(); s-- > 0;)
        for (size_t r = receives.size(); r-- > 0;)
            length[s][r] = may_be_one(sends[s], receives[r], have_one_clock)
                               ? static_cast<uint8_t>(length[s + 1][r + 1] + 1)
                               : std::max(length[s + 1][r], length[s][r + 1]);
    size_t s = 0, r = 0;
    while (length[s][r] > 0) {
        if (may_be_one(sends[s], receives[r], have_one_clock)) return std::pair(s, r);
        ++(length[s + 1][r] >= length[s][r + 1] ? s : r);
    }
    return std::nullopt;
}

bool are_of_several_threads(std::span<const MessageEnd> ends) {
    auto recorded = [](const MessageEnd& end) { return end.unrecorded == 0; };
    auto first = std::ranges::find_if(ends, recorded);
    return std::any_of(first, ends.end(),
                       [&](const MessageEnd& end) { return recorded(end) && end.stream != first->stream; });
}

EndsInOrder in_order(std::span<const MessageEnd> sorted) {
    auto read = [sorted](std::span<MessageEnd> room) mutable {
        const size_t count = std::min(room.size(), sorted.size());
        std::ranges::copy(sorted.first(count), room.begin());
        sorted = sorted.subspan(count);
        return count;
    };
    return {read, are_of_several_threads(sorted)};
}

EndsInOrder in_order(const PackedEnds& sorted, uint64_t ends) {
    auto read = [reader = EndsReader(sorted), left = ends](std::span<MessageEnd> room) mutable {
        const size_t count = std::min<uint64_t>(room.size(), left);
        for (MessageEnd& end : room.first(count)) reader.next(end);
        left -= count;
        return count;
    };
    return {read, sorted.facts().until_thread < ends};
}

class Matching {
 public:
    Matching(const EndsOfKey& ends, const TakeMatch& take)
        : sends_(ends.sends), receives_(ends.receives), have_one_clock_(ends.have_one_clock), take_(take) {}

    void run() {
        while (sends_.is_complete() && receives_.is_complete()) step();
        leave_sends(SIZE_MAX, Partner::none);
        leave_receives(SIZE_MAX, Partner::none);
    }
    uint64_t matched() const { return matched_; }
    bool is_realigned() const { return is_realigned_; }

 private:
    void step() {
        const uint64_t sends = sends_.unrecorded(), receives = receives_.unrecorded();
        if (sends > 0 && receives > 0) {
            const uint64_t both = std::min(sends, receives);
            sends_.skip(both);
            receives_.skip(both);
        } else if (receives > 0) {
            leave_sends(1, Partner::unrecorded);
            receives_.skip(1);
        } else if (sends > 0) {
            leave_receives(1, Partner::unrecorded);
            sends_.skip(1);
        } else if (may_be_one(sends_.first(), receives_.first(), have_one_clock_)) {
            pair();
        } else {
            realign();
        }
    }
    void pair() {
        const MessageEnd &send = sends_.take(), &receive = receives_.take();
        if (!receive.has_ended())
            return take_(&send, nullptr, receive.is_freed() ? Partner::freed : Partner::none);
        take_(&send, &receive, Partner::found);
        ++matched_;
    }
    void realign() {
        is_realigned_ = true;
        const auto sends = sends_.in_reach(), receives = receives_.in_reach();
        const auto next = first_in_step(sends, receives, have_one_clock_);
        leave_sends(next ? next->first : sends.size(), Partner::none);
        leave_receives(next ? next->second : receives.size(), Partner::none);
    }
    void leave_sends(size_t count, Partner partner) {
        for (; count > 0 && !sends_.is_empty(); --count)
            if (const MessageEnd& end = sends_.take(); end.unrecorded == 0) take_(&end, nullptr, partner);
    }
    void leave_receives(size_t count, Partner partner) {
        for (; count > 0 && !receives_.is_empty(); --count)
            if (const MessageEnd& end = receives_.take(); end.unrecorded == 0 && end.has_ended())
                take_(nullptr, &end, partner);
    }

    Rest sends_, receives_;
    const bool have_one_clock_;
    const TakeMatch& take_;
    uint64_t matched_ = 0;
    bool is_realigned_ = false;
};

}  // namespace

EndsInOrder sends_in(std::span<const MessageEnd> sorted) {
    return in_order(sorted);
}

EndsInOrder receives_in(std::span<const MessageEnd> sorted) {
    while (!sorted.empty() && !sorted.back().has_ended() && !sorted.back().is_freed())
        sorted = sorted.first(sorted.size() - 1);
    return in_order(sorted);
}

EndsInOrder sends_in(const PackedEnds& sorted) {
    return in_order(sorted, sorted.facts().ends);
}

EndsInOrder receives_in(const PackedEnds& sorted) {
    return in_order(sorted, sorted.facts().until_completed);
}

MatchCounts match(const EndsOfKey& ends, const TakeMatch& take) {
    MatchCounts counts;
    counts.is_unordered = ends.sends.are_of_several_threads || ends.receives.are_of_several_threads;
    Matching matching(ends, take);
    matching.run();
    counts.matched = matching.matched();
    counts.is_realigned = matching.is_realigned();
    return counts;
}

}  // namespace ovni
