// A ring that a dead program left: its header from the fields of the owner on, its data, and the metadata
// next to it. A program may write anything there by mistake. It is drained, and what comes of it is read.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "drain/drained_stream.hpp"
#include "ring/process_life.hpp"
#include "tests/fuzz/target.hpp"
#include "trace/trace.hpp"

namespace ovni::fuzz {

namespace {

constexpr size_t capacity = size_t{64} << 10;
constexpr const char* place = "/loom.a/proc.1/thread.1";

void copy_up_to(uint8_t* to, std::string_view bytes, size_t most) {
    std::memcpy(to, bytes.data(), std::min(bytes.size(), most));
}

// The input does not say who the owner is, nor where it wrote.
void set_owner(writer::RingHeader& header) {
    header.magic = writer::RingHeader::magic_number;
    header.capacity = capacity;
    header.nested_capacity = writer::Ring::nested_bytes;
    header.pid = INT32_MAX;  // there is no such process
    header.process_start = 1;
    header.pid_space = writer::own_process_id().space;
}

void fill(const writer::Ring& ring, const std::vector<std::string_view>& parts) {
    constexpr size_t owned = offsetof(writer::RingHeader, published);
    auto* header = reinterpret_cast<uint8_t*>(&ring.header());
    std::memset(header, 0, writer::Ring::bytes_before_data + capacity);
    copy_up_to(header + owned, parts[0], sizeof(writer::RingHeader) - owned);
    set_owner(ring.header());
    if (parts.size() < 2) return;
    copy_up_to(ring.data(), parts[1], capacity);
    copy_up_to(ring.nested_data(0), parts[1], writer::Ring::nested_bytes);
}

void drain(const std::string& path) {
    writer::EndedStreams ended;
    static writer::StreamPacker packer;
    writer::DrainedStream stream(writer::Ring::open(path), path + ".json", std::make_shared<uint64_t>(0),
                                 ended, packer);
    stream.drain();
    stream.finish({});
}

void read_rings(const std::filesystem::path& directory) {
    // A file with a hole of many GB is read in vain.
    constexpr uintmax_t largest = uintmax_t{1} << 20;
    std::error_code none;
    if (auto size = std::filesystem::file_size(directory / place / "stream.obs", none);
        !none && size > largest)
        return;
    ends([&] {
        for (StreamReader& reader : Trace::open(directory).readers(ClockOrder::any))
            while (reader.next()) {
            }
    });
}

}  // namespace

void take(std::string_view input) {
    static const TraceInMemory files;
    static const std::string path = files.path() / "ring";
    static const writer::Ring ring = writer::Ring::create(path, capacity);
    const std::vector<std::string_view> parts = files_of(input, 3);
    fill(ring, parts);
    const std::filesystem::path trace = files.path() / "ovni";
    std::string note = trace.string() + '\0' + '\0' + place + '\0';
    files.put("ring.json",
              note.append(parts.size() > 2 ? parts[2] : R"({"version": 3, "ovni": {"tid": 1}})"));
    drain(path);
    read_rings(trace);
    std::filesystem::remove_all(trace);
}

}  // namespace ovni::fuzz
