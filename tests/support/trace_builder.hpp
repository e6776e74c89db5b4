// Small traces for tests, in a temporary directory that goes away with the builder:
//
//     TraceBuilder trace;
//     trace.thread({.loom = "node0.a", .pid = 10, .tid = 11})
//         .starts(100)                                   // OHx on CPU index 0
//         .event("OAs", 110, {1})                        // arguments packed one after the other
//         .jumbo("VYc", 120, {u32(1), "label"})
//         .gap(130, 150, 7)
//         .event("OB.", 160)
//         .ends(200);                                    // OHe
//     run("ovniemu " + trace.write().string());
//
// An int is packed as i32; other widths are written u8(1), u16(1), u32(1), u64(1), i8(1), i16(1), i64(1);
// strings are zero terminated. write() may be called again after changes.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ovni/event_code.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ovni::test {

using Json = nlohmann::ordered_json;

// The bytes of one argument.
class Argument {
 public:
    Argument(int value) : Argument(&value, sizeof value) {}           // NOLINT: an int is i32
    Argument(const char* text) : Argument(std::string_view(text)) {}  // NOLINT
    Argument(std::string_view text) : bytes_(text.begin(), text.end()) { bytes_.push_back(0); }  // NOLINT
    Argument(const void* value, size_t size)
        : bytes_(static_cast<const uint8_t*>(value), static_cast<const uint8_t*>(value) + size) {}
    const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
    std::vector<uint8_t> bytes_;
};
inline Argument u8(uint8_t value) {
    return {&value, sizeof value};
}
inline Argument u16(uint16_t value) {
    return {&value, sizeof value};
}
inline Argument u32(uint32_t value) {
    return {&value, sizeof value};
}
inline Argument u64(uint64_t value) {
    return {&value, sizeof value};
}
inline Argument i8(int8_t value) {
    return {&value, sizeof value};
}
inline Argument i16(int16_t value) {
    return {&value, sizeof value};
}
inline Argument i64(int64_t value) {
    return {&value, sizeof value};
}
inline Argument raw(std::string_view bytes) {
    return {bytes.data(), bytes.size()};
}

using Arguments = std::initializer_list<Argument>;

// The identity that a stream gives itself; the defaults make a stream that emulates.
struct Identity {
    std::string loom = "node0.a";
    int pid = 1;
    int tid = 1;
    int app_id = 1;
    std::optional<int> rank = {};
    int nranks = 1;                                    // written with a rank only
    std::vector<std::pair<int, int>> cpus = {{0, 0}};  // index, phyid; empty: left out
    std::vector<std::pair<std::string, std::string>> require = {{"ovni", "1.1.0"}};
    std::string directory = {};  // below the trace; empty: as the runtime library names it
};

class StreamBuilder {
 public:
    explicit StreamBuilder(const Identity& identity);

    StreamBuilder& event(EventCode code, int64_t clock, Arguments arguments = {});
    StreamBuilder& jumbo(EventCode code, int64_t clock, Arguments arguments = {});
    // A jumbo event that says it has `size` bytes of data.
    StreamBuilder& jumbo_of_size(EventCode code, int64_t clock, uint32_t size, Arguments arguments = {});
    // Life cycle: OHx on the CPU with that index, OHe.
    StreamBuilder& starts(int64_t clock, int cpu = 0);
    StreamBuilder& ends(int64_t clock);
    // Before the next event. Without `to` it lasts to the end of the stream.
    StreamBuilder& gap(int64_t from, std::optional<int64_t> to, uint64_t lost = 0,
                       const std::string& reason = "paused");
    StreamBuilder& mark(int type, const std::string& kind, const std::string& title,
                        const std::vector<std::pair<int64_t, std::string>>& labels = {});

    // stream.json: sets or removes a member, named as in "ovni.lib.version"; replaces the whole text.
    StreamBuilder& set(const std::string& member, Json value);
    StreamBuilder& unset(const std::string& member);
    StreamBuilder& unfinished() { return unset("ovni.finished"); }
    StreamBuilder& json_text(std::string text);
    StreamBuilder& gaps_text(std::string text);
    // stream.crc for the events so far, whatever happens to them later, in blocks of so many bytes; or
    // another content.
    StreamBuilder& checksums(size_t block);
    StreamBuilder& checksums_text(std::string text);

    // Damage to stream.obs: bytes from its end, to a size, one byte, the whole file.
    StreamBuilder& truncate(size_t bytes);
    StreamBuilder& cut_at(size_t size);
    StreamBuilder& set_byte(size_t offset, uint8_t value);
    StreamBuilder& flip(size_t offset, uint8_t mask = 0xff);
    StreamBuilder& content(std::string bytes);

    // stream.obs so far.
    const std::string& bytes() const { return bytes_; }
    const std::string& checksums_text() const { return checksums_; }
    const std::string& directory() const { return directory_; }
    std::string metadata_text() const;
    // Makes the files in that directory.
    void write(const std::filesystem::path& directory) const;

 private:
    StreamBuilder& append(uint8_t flags, EventCode code, int64_t clock, std::string_view payload);

    std::string directory_;
    std::string bytes_;
    Json json_;
    Json gaps_ = Json::array();
    std::optional<std::string> json_text_, gaps_text_;
    std::string checksums_;  // empty: none
};

class TraceBuilder {
 public:
    // A stream in the directory that the runtime library would choose, or in Identity::directory.
    StreamBuilder& thread(const Identity& identity = {});
    // clock-offsets.txt: host and offset in ns of each node.
    TraceBuilder& clock_offsets(const std::vector<std::pair<std::string, int64_t>>& table);
    // Any other file below the trace directory.
    TraceBuilder& file(const std::string& name, std::string text);

    // The trace directory, before or after write().
    std::filesystem::path path() const { return directory_.path() / "ovni"; }
    // Writes everything anew and returns the trace directory.
    std::filesystem::path write() const;
    // Writes everything into another directory, over what is there.
    void write_to(const std::filesystem::path& directory) const;

 private:
    TemporaryDirectory directory_;
    std::deque<StreamBuilder> streams_;  // references to elements stay valid
    std::vector<std::pair<std::string, std::string>> files_;
};

}  // namespace ovni::test
