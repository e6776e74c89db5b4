#include "trace/region_sort.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "trace/gaps.hpp"
#include "trace/stream_reader.hpp"

namespace ovni {

namespace {

constexpr EventCode region_begins = "OU[";
constexpr EventCode region_ends = "OU]";

struct Placed {
    int64_t clock;
    uint64_t offset;
};

void write_range(int fd, std::span<const uint8_t> bytes, uint64_t offset, const std::string& path) {
    while (!bytes.empty()) {
        ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw system_error("cannot write", path);
        bytes = bytes.subspan(static_cast<size_t>(n));
        offset += static_cast<uint64_t>(n);
    }
}

std::vector<uint8_t> read_range(int fd, uint64_t begin, uint64_t end, const std::string& path) {
    std::vector<uint8_t> bytes(end - begin);
    for (size_t done = 0; done < bytes.size();) {
        ssize_t n = ::pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(begin + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw system_error("cannot read", path);
        if (n == 0) throw Error("the file was cut while it was sorted", path, begin + done);
        done += static_cast<size_t>(n);
    }
    return bytes;
}

class RegionSorter {
 public:
    RegionSorter(const std::filesystem::path& directory, uint64_t look_back)
        : directory_(directory),
          reader_({.directory = directory, .order = ClockOrder::any}),
          gaps_(read_gaps(directory)),
          most_before_(look_back - 1),
          fd_(::open(reader_.path().c_str(), O_RDONLY | O_CLOEXEC)) {
        if (!fd_) throw system_error("cannot open", reader_.path());
    }

    SortedRegions run() {
        while (reader_.next()) {
            const EventView& event = reader_.event();
            if (event.kind != EventView::Kind::event) continue;
            step(event);
            before_.push_back({event.clock, event.offset});
            if (before_.size() > most_before_) before_.pop_front();
        }
        if (result_.file == SortedRegions::File::rewritten) {
            if (::fdatasync(fd_.get()) != 0) throw system_error("cannot write", reader_.path());
            if (!gaps_.empty()) write_gaps(directory_, gaps_);
        }
        return result_;
    }

 private:
    enum class Place { outside, just_begun, inside };

    void step(const EventView& event) {
        bool ends = event.code() == region_ends;
        if (place_ == Place::outside) {
            if (event.code() == region_begins) place_ = Place::just_begun;
        } else if (ends) {
            if (place_ == Place::just_begun)
                ++result_.empty;
            else
                sort_before(event.offset);
            place_ = Place::outside;
        } else if (place_ == Place::just_begun) {
            place_ = Place::inside;
            oldest_ = event.clock;
        } else {
            oldest_ = std::min(oldest_, event.clock);
        }
    }

    // Where the range to be sorted starts among the events before the region's end.
    size_t find_start(uint64_t end) const {
        for (size_t i = before_.size(); i > 0; --i)
            if (before_[i - 1].clock < oldest_) return i - 1;
        if (before_.size() < most_before_) return 0;
        throw Error(
            fmt::format("the region that ends here holds an event of clock {}, older than all of the {} "
                        "events before that are kept: use a larger -n",
                        oldest_, before_.size()),
            reader_.path(), end);
    }

    void sort_before(uint64_t end) {
        ++result_.sorted;
        size_t start = find_start(end);
        uint64_t begin = before_[start].offset;
        std::vector<uint8_t> old = read_range(fd_.get(), begin, end, reader_.path());
        std::vector<Placed> events(before_.begin() + static_cast<std::ptrdiff_t>(start), before_.end());
        std::stable_sort(events.begin(), events.end(),
                         [](const Placed& a, const Placed& b) { return a.clock < b.clock; });
        std::vector<uint8_t> bytes;
        bytes.reserve(old.size());
        for (Placed& event : events) {
            const uint8_t* from = old.data() + (event.offset - begin);
            uint64_t size = ovni_format_event_size(from, end - event.offset);
            event.offset = begin + bytes.size();
            bytes.insert(bytes.end(), from, from + size);
        }
        if (bytes == old) return;
        write_back(bytes, begin);
        std::copy(events.begin(), events.end(), before_.begin() + static_cast<std::ptrdiff_t>(start));
        move_gaps(events, begin, end);
    }

    void write_back(std::span<const uint8_t> bytes, uint64_t begin) {
        if (result_.file == SortedRegions::File::as_it_was) {
            fd_ = Fd(::open(reader_.path().c_str(), O_RDWR | O_CLOEXEC));
            if (!fd_) throw system_error("cannot open for writing", reader_.path());
        }
        result_.file = SortedRegions::File::rewritten;
        write_range(fd_.get(), bytes, begin, reader_.path());
    }

    // A gap stays before the first event that is not older than its beginning.
    void move_gaps(const std::vector<Placed>& events, uint64_t begin, uint64_t end) {
        for (Gap& gap : gaps_) {
            if (gap.offset <= begin || gap.offset >= end) continue;
            auto next = std::find_if(events.begin(), events.end(),
                                     [&](const Placed& event) { return event.clock >= gap.from; });
            gap.offset = next == events.end() ? end : next->offset;
        }
    }

    std::filesystem::path directory_;
    StreamReader reader_;
    std::vector<Gap> gaps_;
    std::deque<Placed> before_;  // the events before the current one, as they are in the file now
    uint64_t most_before_;
    Fd fd_;  // for reading, and for writing once something was rewritten
    Place place_ = Place::outside;
    int64_t oldest_ = 0;  // clock of the oldest event in the region
    SortedRegions result_;
};

}  // namespace

SortedRegions sort_regions(const std::filesystem::path& directory, uint64_t look_back) {
    return RegionSorter(directory, look_back).run();
}

uint64_t report_disorder(const std::filesystem::path& directory) {
    StreamReader reader({.directory = directory, .order = ClockOrder::any});
    uint64_t count = 0;
    for (int64_t last = INT64_MIN; reader.next(); last = reader.event().clock) {
        const EventView& event = reader.event();
        if (event.clock >= last) continue;
        ++count;
        log::error("{}:{}: the clock goes back from {} to {}", reader.path(), event.offset, last,
                   event.clock);
    }
    return count;
}

}  // namespace ovni
