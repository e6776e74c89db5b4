#include "tests/support/trace_builder.hpp"

#include <fstream>
#include <stdexcept>

#include "core/crc32c.hpp"
#include "core/stream_crc.hpp"
#include "ovni/format.h"

namespace ovni::test {

namespace fs = std::filesystem;

namespace {

template <class Number>
void append_number(std::string& bytes, Number value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string packed(Arguments arguments) {
    std::string payload;
    for (const Argument& argument : arguments)
        payload.append(argument.bytes().begin(), argument.bytes().end());
    return payload;
}

// "ovni.lib.version" as its parts.
std::vector<std::string> keys_of(const std::string& member) {
    std::vector<std::string> keys(1);
    for (char c : member) {
        if (c == '.')
            keys.emplace_back();
        else
            keys.back() += c;
    }
    return keys;
}

// A new file each time: truncating one waits for the disk.
void save(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    fs::remove(path);
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!file.write(text.data(), static_cast<std::streamsize>(text.size())).flush())
        throw std::runtime_error("cannot write " + path.string());
}

Json metadata_of(const Identity& identity) {
    Json require = Json::object(), cpus = Json::array();
    for (const auto& [model, version] : identity.require) require[model] = version;
    for (auto [index, phyid] : identity.cpus) cpus.push_back({{"index", index}, {"phyid", phyid}});
    Json ovni = {{"lib", {{"version", "1.14.0"}, {"commit", "unknown"}}},
                 {"part", "thread"},
                 {"tid", identity.tid},
                 {"pid", identity.pid},
                 {"loom", identity.loom},
                 {"app_id", identity.app_id},
                 {"require", require}};
    if (identity.rank) ovni["rank"] = *identity.rank, ovni["nranks"] = identity.nranks;
    if (!cpus.empty()) ovni["loom_cpus"] = cpus;
    ovni["finished"] = 1;
    return {{"version", 3}, {"ovni", ovni}};
}

}  // namespace

StreamBuilder::StreamBuilder(const Identity& identity)
    : directory_(identity.directory), bytes_(OVNI_FORMAT_MAGIC, sizeof OVNI_FORMAT_MAGIC) {
    append_number(bytes_, uint32_t{OVNI_FORMAT_VERSION});
    json_ = metadata_of(identity);
    if (directory_.empty())
        directory_ = "loom." + identity.loom + "/proc." + std::to_string(identity.pid) + "/thread." +
                     std::to_string(identity.tid);
}

StreamBuilder& StreamBuilder::append(uint8_t flags, EventCode code, int64_t clock, std::string_view payload) {
    bytes_ += static_cast<char>(flags);
    bytes_ += code.text().data();
    append_number(bytes_, clock);
    bytes_ += payload;
    return *this;
}

StreamBuilder& StreamBuilder::event(EventCode code, int64_t clock, Arguments arguments) {
    std::string payload = packed(arguments);
    if (payload.size() == 1 || payload.size() > OVNI_FORMAT_PAYLOAD_MAX)
        throw std::invalid_argument("a normal event has no payload, or 2 to 16 bytes");
    return append(ovni_format_flags(static_cast<unsigned>(payload.size())), code, clock, payload);
}

StreamBuilder& StreamBuilder::jumbo(EventCode code, int64_t clock, Arguments arguments) {
    return jumbo_of_size(code, clock, static_cast<uint32_t>(packed(arguments).size()), arguments);
}

StreamBuilder& StreamBuilder::jumbo_of_size(EventCode code, int64_t clock, uint32_t size,
                                            Arguments arguments) {
    std::string payload;
    append_number(payload, size);
    uint8_t flags = OVNI_FORMAT_JUMBO | ovni_format_flags(OVNI_FORMAT_JUMBO_SIZE);
    return append(flags, code, clock, payload + packed(arguments));
}

StreamBuilder& StreamBuilder::starts(int64_t clock, int cpu) {
    return event("OHx", clock, {cpu, -1, u64(0)});
}

StreamBuilder& StreamBuilder::ends(int64_t clock) {
    return event("OHe", clock);
}

StreamBuilder& StreamBuilder::gap(int64_t from, std::optional<int64_t> to, uint64_t lost,
                                  const std::string& reason) {
    Json gap = {{"offset", bytes_.size()}, {"from", from}};
    if (to) gap["to"] = *to;
    gap["lost"] = lost;
    gap["reason"] = reason;
    gaps_.push_back(gap);
    return *this;
}

StreamBuilder& StreamBuilder::mark(int type, const std::string& kind, const std::string& title,
                                   const std::vector<std::pair<int64_t, std::string>>& labels) {
    Json& mark = json_["ovni"]["mark"][std::to_string(type)];
    mark = {{"title", title}, {"chan_type", kind}};
    for (const auto& [value, label] : labels) mark["labels"][std::to_string(value)] = label;
    return *this;
}

StreamBuilder& StreamBuilder::set(const std::string& member, Json value) {
    Json* at = &json_;
    for (const std::string& key : keys_of(member)) at = &(*at)[key];
    *at = std::move(value);
    return *this;
}

StreamBuilder& StreamBuilder::unset(const std::string& member) {
    std::vector<std::string> keys = keys_of(member);
    Json* at = &json_;
    for (size_t i = 0; i + 1 < keys.size(); ++i) at = &(*at)[keys[i]];
    at->erase(keys.back());
    return *this;
}

StreamBuilder& StreamBuilder::json_text(std::string text) {
    json_text_ = std::move(text);
    return *this;
}

StreamBuilder& StreamBuilder::gaps_text(std::string text) {
    gaps_text_ = std::move(text);
    return *this;
}

StreamBuilder& StreamBuilder::checksums(size_t block) {
    checksums_.assign(stream_crc_magic, sizeof stream_crc_magic);
    auto all = std::span(reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size());
    for (size_t at = OVNI_FORMAT_STREAM_HEADER; at < all.size(); at += block) {
        auto bytes = all.subspan(at, std::min(block, all.size() - at));
        append_number(checksums_, uint64_t{at + bytes.size()});
        append_number(checksums_, crc32c(bytes));
        append_number(checksums_, uint32_t{0});
    }
    return *this;
}

StreamBuilder& StreamBuilder::checksums_text(std::string text) {
    checksums_ = std::move(text);
    return *this;
}

StreamBuilder& StreamBuilder::truncate(size_t bytes) {
    return cut_at(bytes_.size() - bytes);
}

StreamBuilder& StreamBuilder::cut_at(size_t size) {
    bytes_.resize(size);
    return *this;
}

StreamBuilder& StreamBuilder::set_byte(size_t offset, uint8_t value) {
    bytes_.at(offset) = static_cast<char>(value);
    return *this;
}

StreamBuilder& StreamBuilder::flip(size_t offset, uint8_t mask) {
    return set_byte(offset, static_cast<uint8_t>(static_cast<uint8_t>(bytes_.at(offset)) ^ mask));
}

StreamBuilder& StreamBuilder::content(std::string bytes) {
    bytes_ = std::move(bytes);
    return *this;
}

std::string StreamBuilder::metadata_text() const {
    return json_text_.value_or(json_.dump(4));
}

void StreamBuilder::write(const fs::path& directory) const {
    save(directory / "stream.json", metadata_text());
    save(directory / "stream.obs", bytes_);
    if (gaps_text_ || !gaps_.empty())
        save(directory / "stream.gaps.json", gaps_text_.value_or(Json{{"gaps", gaps_}}.dump()));
    if (!checksums_.empty()) save(directory / "stream.crc", checksums_);
}

StreamBuilder& TraceBuilder::thread(const Identity& identity) {
    return streams_.emplace_back(identity);
}

TraceBuilder& TraceBuilder::clock_offsets(const std::vector<std::pair<std::string, int64_t>>& table) {
    std::string text = "rank hostname offset_median offset_mean offset_std\n";
    int rank = 0;
    for (const auto& [host, offset] : table)
        text += std::to_string(rank++) + " " + host + " " + std::to_string(offset) + " " +
                std::to_string(offset) + ".0 0.0\n";
    return file("clock-offsets.txt", text);
}

TraceBuilder& TraceBuilder::file(const std::string& name, std::string text) {
    files_.emplace_back(name, std::move(text));
    return *this;
}

fs::path TraceBuilder::write() const {
    fs::remove_all(path());
    write_to(path());
    return path();
}

void TraceBuilder::write_to(const fs::path& directory) const {
    fs::create_directories(directory);
    for (const StreamBuilder& stream : streams_) stream.write(directory / stream.directory());
    for (const auto& [name, text] : files_) save(directory / name, text);
}

}  // namespace ovni::test
