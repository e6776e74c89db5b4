#include "trace/region_sort.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "trace/gaps.hpp"
#include "trace/stream_reader.hpp"

namespace ovni {

namespace {

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
          finder_(reader_.path(), reader_.gaps(), look_back),
          fd_(::open(reader_.path().c_str(), O_RDONLY | O_CLOEXEC)) {
        if (!fd_) throw system_error("cannot open", reader_.path());
    }

    SortedRegions run() {
        try {
            sort_all();
        } catch (const Error&) {
            finish();  // what was sorted before stays sorted
            throw;
        }
        finish();
        return {finder_.sorted(), finder_.empty(), file_};
    }

 private:
    void sort_all() {
        while (reader_.next()) {
            const EventView& event = reader_.event();
            if (event.kind != EventView::Kind::event) continue;
            if (auto range = finder_.see(event.clock, event.code, event.offset)) sort(*range);
        }
    }

    void finish() {
        if (file_ == SortedRegions::File::as_it_was) return;
        if (::fdatasync(fd_.get()) != 0) throw system_error("cannot write", reader_.path());
        if (!reader_.gaps().empty()) write_gaps(directory_, finder_.gaps());
    }

    void sort(const ByteRange& range) {
        std::vector<uint8_t> bytes = read_range(fd_.get(), range.begin, range.end, reader_.path());
        if (!sort_events(bytes))
            throw Error("the file was changed while it was sorted", reader_.path(), range.begin);
        if (file_ == SortedRegions::File::as_it_was) {
            fd_ = Fd(::open(reader_.path().c_str(), O_RDWR | O_CLOEXEC));
            if (!fd_) throw system_error("cannot open for writing", reader_.path());
        }
        file_ = SortedRegions::File::rewritten;
        write_range(fd_.get(), bytes, range.begin, reader_.path());
    }

    std::filesystem::path directory_;
    StreamReader reader_;
    RegionFinder finder_;
    Fd fd_;  // for reading, and for writing once something was rewritten
    SortedRegions::File file_ = SortedRegions::File::as_it_was;
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
