// --keep-going: the readable part of a damaged trace. Every stream is read once before anything else. A
// stream with wrong metadata is left out. A stream with a wrong event ends there. A stream that was never
// ended keeps its events, and is listed as damaged. A stream without any good event stays, as stream.json
// still describes its process and loom.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "trace/trace.hpp"

namespace ovni {

// The missing part of a stream, and why it is missing; or the number of ranks without streams.
struct Damage {
    std::string relative_path;
    std::string cause;
    std::optional<uint64_t> end;  // good bytes of stream.obs; nothing: the stream is left out
    size_t ranks = 0;             // missing ranks; then there is no path and no end
};

// The good part of one stream; nothing if it is left out. Adds the missing part to `damages`.
std::optional<Stream> salvage_stream(const std::filesystem::path& directory, const std::string& relative_path,
                                     Regions regions, std::vector<Damage>& damages);

// Adds the streams without metadata, which are left out.
void list_without_metadata(const std::filesystem::path& directory, const FoundStreams& found,
                           std::vector<Damage>& damages);

// Removes the stream that `error` is about from `streams`; throws `error` if it is about none of them.
void leave_out(std::vector<Stream>& streams, const std::filesystem::path& directory, const Error& error,
               std::vector<Damage>& damages);

// Adds `damage` in place of an earlier damage of that stream.
void replace(std::vector<Damage>& damages, Damage damage);

// Prints a warning for each.
void print(const std::vector<Damage>& damages);

}  // namespace ovni
