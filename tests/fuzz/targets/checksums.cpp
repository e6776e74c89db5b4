// A file stream.crc, and the stream.obs that it belongs to, as it was and as if another program had
// rewritten it.
#include "trace/checksums.hpp"

#include <chrono>

#include "tests/fuzz/one_stream.hpp"

namespace ovni::fuzz {

namespace {

void read_checked(const Trace& trace, ClockOrder order) {
    ends([&] {
        StreamReader reader = trace.reader(0, 0, order);
        while (reader.next()) {
        }
    });
}

void read_all(const TraceInMemory& files) {
    Trace trace = Trace::open(files.path());
    read_checked(trace, ClockOrder::checked);
    read_checked(trace, ClockOrder::any);
    ends([&] { check_stream(files.path()); });
    ends([&] { recorded_size(files.path()); });
}

// The two files seem to be written at once, or stream.obs a second later.
void set_times(const TraceInMemory& files, std::chrono::seconds later) {
    const std::filesystem::file_time_type long_ago{};
    std::filesystem::last_write_time(files.path() / "stream.crc", long_ago);
    std::filesystem::last_write_time(files.path() / "stream.obs", long_ago + later);
}

}  // namespace

void take(std::string_view input) {
    static const TraceInMemory files;
    put_stream(files, "stream.crc", input);
    for (int seconds : {0, 1}) {
        set_times(files, std::chrono::seconds(seconds));
        ends([] { read_all(files); });
    }
    ends([] {
        write_checksums(files.path());
        require(ends([] { check_stream(files.path()); }));
    });
}

}  // namespace ovni::fuzz
