#include "trace/region_sort.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "trace/checksums.hpp"
#include "trace/gaps.hpp"
#include "trace/stream_output.hpp"
#include "trace/stream_reader.hpp"

namespace ovni {

namespace {

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
            finish();  // ranges sorted before stay sorted
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
        renew_checksums(directory_);
    }

    void sort(const ByteRange& range) {
        std::vector<uint8_t> bytes(range.end - range.begin);
        read_at(fd_, range.begin, bytes, reader_.path());
        if (!sort_events(bytes))
            throw Error("the file was changed while it was sorted", reader_.path(), range.begin);
        if (file_ == SortedRegions::File::as_it_was) {
            check_stream(directory_);  // or new checksums would hide damage
            fd_ = Fd(::open(follow_own_links(reader_.path()).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
            if (!fd_) throw system_error("cannot open for writing", reader_.path());
        }
        file_ = SortedRegions::File::rewritten;
        std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        write_at(fd_, range.begin, text, reader_.path());
    }

    std::filesystem::path directory_;
    StreamReader reader_;
    RegionFinder finder_;
    Fd fd_;  // for reading, and for writing once something was rewritten
    SortedRegions::File file_ = SortedRegions::File::as_it_was;
};

// Blocks have other sizes once their events are sorted, so the file is written anew.
SortedRegions sort_packed(const std::filesystem::path& directory, uint64_t look_back) {
    StreamSource source{.directory = directory, .order = ClockOrder::any};
    source.sort = plan_regions(directory, source.block, look_back);
    SortedRegions result{source.sort->sorted, source.sort->empty};
    const std::vector<Gap> gaps = source.sort->gaps;
    packed::BlockMaker blocks;
    std::optional<StreamOutput> output;
    if (!source.sort->ranges.empty()) output.emplace(directory, &blocks);
    StreamReader reader(std::move(source));
    while (reader.next()) {
        const EventView& event = reader.event();
        if (event.kind != EventView::Kind::event || !output) continue;
        output->append(
            {reinterpret_cast<const char*>(event.bytes), OVNI_FORMAT_EVENT_HEADER + event.payload().size()});
        if (output->is_full()) output->flush();
    }
    if (!output) return result;
    output->commit();
    if (!gaps.empty()) write_gaps(directory, gaps);
    result.file = SortedRegions::File::rewritten;
    return result;
}

}  // namespace

SortedRegions sort_regions(const std::filesystem::path& directory, uint64_t look_back) {
    if (StreamReader({.directory = directory, .order = ClockOrder::any}).is_packed())
        return sort_packed(directory, look_back);
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
