// The correction of a node's clock: an offset in ns that is added. The offset is interpolated linearly
// between measuring points, and extrapolated before the first and after the last. With one point it is
// constant.
//
// Integers only, so that every program gets equal results: between two points the offset is
//     offset[i] + floor((local - local[i]) * slope[i] / 2^62), slope[i] = ceil(rise * 2^62 / run),
// which is exact at every point, and between points at most 1 ns above the line. Corrected clocks keep the
// order of raw clocks, because the slope is above -1.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ovni {

// At the local time `local` the reference clock shows `local` + `offset`, both in ns.
struct ClockPoint {
    int64_t local;
    int64_t offset;
    friend bool operator==(ClockPoint, ClockPoint) = default;
};

class ClockLine {
 public:
    ClockLine() = default;  // no correction
    ClockLine(int64_t constant) : segments_{{0, constant, 0}} {}

    // `points`: ascending by local time; each fits() the next. Extrapolated before the first point along the
    // line from the first to points[ahead], after the last along that from points[behind] to the last;
    // constant if the two are one point.
    ClockLine(const std::vector<ClockPoint>& points, size_t ahead, size_t behind) {
        if (points.size() <= 1) {
            if (!points.empty()) segments_.push_back({0, points.front().offset, 0});
            return;
        }
        const ClockPoint &first = points.front(), &last = points.back();
        segments_.push_back({first.local, first.offset, ahead == 0 ? 0 : slope(first, points[ahead])});
        for (size_t i = 0; i + 1 < points.size(); ++i)
            segments_.push_back({points[i].local, points[i].offset, slope(points[i], points[i + 1])});
        bool level = behind + 1 == points.size();
        segments_.push_back({last.local, last.offset, level ? 0 : slope(points[behind], last)});
        measured_from_ = first.local;
        measured_to_ = last.local;
    }
    // Extrapolated along the line of the nearest two points.
    explicit ClockLine(const std::vector<ClockPoint>& points)
        : ClockLine(points, points.size() > 1 ? 1 : 0, points.size() > 1 ? points.size() - 2 : 0) {}
    // True if there can be a line between the two points: the offset changes by less than the time between
    // them.
    static bool fits(const ClockPoint& point, const ClockPoint& next) {
        Wide run = Wide{next.local} - point.local, rise = Wide{next.offset} - point.offset;
        return run > 0 && run < Wide{1} << fraction && rise < run && rise > -run;
    }

    // The correction for a clock that is `ns` ahead of this line's clock.
    ClockLine ahead_by(int64_t ns) const {
        if (is_constant()) return {constant() - ns};
        ClockLine other = *this;
        for (Segment& segment : other.segments_) segment.from += ns, segment.offset -= ns;
        other.measured_from_ += ns;
        other.measured_to_ += ns;
        return other;
    }

    // The reference clock, clamped to the range of its type.
    int64_t corrected(int64_t local) const {
        Wide result = exactly(local);
        return static_cast<int64_t>(std::clamp<Wide>(result, least, most));
    }
    // The first local time whose correction is `corrected_time` or later.
    int64_t first_local(int64_t corrected_time) const {
        if (is_constant())
            return static_cast<int64_t>(std::clamp<Wide>(Wide{corrected_time} - constant(), least, most));
        int64_t low = least, high = most;
        while (low < high) {
            auto middle = static_cast<int64_t>((Wide{low} + high) >> 1);
            if (corrected(middle) >= corrected_time)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }
    // False if the result is outside of the range of its type.
    bool correct(int64_t local, int64_t& result) const {
        if (is_constant()) [[likely]]
            return !__builtin_add_overflow(local, constant(), &result);
        Wide exact = exactly(local);
        result = static_cast<int64_t>(exact);
        return exact >= least && exact <= most;
    }

    bool is_constant() const { return segments_.size() <= 1; }
    int64_t constant() const { return segments_.empty() ? 0 : segments_.front().offset; }
    // The range of the measuring points; everything if the offset is constant.
    int64_t measured_from() const { return measured_from_; }
    int64_t measured_to() const { return measured_to_; }

 private:
    __extension__ using Wide = __int128;
    static constexpr int fraction = 62;
    static constexpr int64_t least = std::numeric_limits<int64_t>::min();
    static constexpr int64_t most = std::numeric_limits<int64_t>::max();

    struct Segment {
        int64_t from;  // local time; the first segment is valid before it, too
        int64_t offset;
        int64_t slope;  // in 2^-62
    };

    static int64_t slope(const ClockPoint& point, const ClockPoint& next) {
        Wide run = Wide{next.local} - point.local, rise = Wide{next.offset} - point.offset;
        Wide scaled = rise * (Wide{1} << fraction), quotient = scaled / run;
        return static_cast<int64_t>(quotient + (scaled % run > 0 ? 1 : 0));
    }

    Wide exactly(int64_t local) const {
        if (is_constant()) return Wide{local} + constant();
        auto behind =
            std::upper_bound(segments_.begin() + 1, segments_.end(), local,
                             [](int64_t time, const Segment& segment) { return time < segment.from; });
        const Segment& segment = *(behind - 1);
        Wide distance = Wide{local} - segment.from;
        return Wide{local} + segment.offset + ((distance * segment.slope) >> fraction);
    }

    std::vector<Segment> segments_;
    int64_t measured_from_ = least, measured_to_ = most;
};

}  // namespace ovni
