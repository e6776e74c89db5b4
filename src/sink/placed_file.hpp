// A file that all ranks write: each appends its parts, and they follow one another in the order of ranks and
// slices. A single rank appends a part when a buffer is full. On many ranks a part is kept until place() has
// found its offset.
//
// Rank 0 makes the file under a name next to the final one. Ranks that do not see it hand their parts to rank
// 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/ranks.hpp"

namespace ovni {

class PlacedFile {
 public:
    // The file begins with `header`, which finish() replaces. Collective. Throws Error.
    PlacedFile(const Ranks& ranks, const std::filesystem::path& path, std::string_view header);

    // Room for at least `least` bytes behind what was added; valid until the next call. Local; throws Error.
    std::span<char> room(size_t least);
    void add(size_t bytes) { filled_ += bytes; }
    void append(std::string_view bytes) {
        std::ranges::copy(bytes, room(bytes.size()).begin());
        add(bytes.size());
    }
    // Bytes that were added since the last place() and are not written.
    uint64_t kept() const { return filled_; }

    // Many ranks only: gives what was added its place, behind the parts of lower ranks. Those have `before`
    // of `all` bytes. Collective if not all ranks see the file.
    void place(uint64_t before, uint64_t all);
    // Writes what has its place. Local; throws Error.
    void write_placed();

    bool is_shared() const { return is_shared_; }
    uint64_t bytes_written() const { return written_; }

    // All is written and checked, still under that other name. If `header` is longer than the first one, all
    // that follows is moved, which reads and writes the whole file; it is never shorter. Collective; throws
    // Error.
    void finish(std::string_view header);
    // Local; on rank 0 the file gets its final name.
    void commit_as(const std::filesystem::path& path);

 private:
    bool sees(const std::filesystem::path& beside, uint64_t size);
    void write_kept(uint64_t offset);
    void hand_over();
    void replace_header(std::string_view header);

    const Ranks& ranks_;
    std::filesystem::path path_;        // the final name, for messages
    std::optional<OutputFile> output_;  // on rank 0
    Fd file_;                           // on other ranks, if they see the file
    bool is_shared_ = true;
    std::vector<char> buffer_;
    size_t filled_ = 0;
    uint64_t header_;      // bytes
    uint64_t end_;         // of the file with all that has its place
    uint64_t offset_ = 0;  // of what is kept, after place()
    uint64_t written_ = 0;
};

// All that was added to the files of one sink gets its place. Many ranks only; collective.
void place_kept(const Ranks& ranks, std::span<PlacedFile* const> files);
// Local: writes what has its place. On one node, two writers of one file wait for each other, so ranks begin
// with different files.
void write_placed(const Ranks& ranks, std::span<PlacedFile* const> files);
uint64_t bytes_written(std::span<PlacedFile* const> files);

}  // namespace ovni
