// --keep-going: what can be read of a damaged trace. Every stream is read once before anything else; one
// whose metadata is wrong is left out, and one whose events are wrong at some place ends there, as does one
// that nobody ended. One without any good event stays as what stream.json says of its process and loom.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "trace/trace.hpp"

namespace ovni {

// What is missing of a stream, and why; or how many ranks there are no streams of.
struct Damage {
    std::string relative_path;
    std::string cause;
    std::optional<uint64_t> end;  // bytes of stream.obs that are good; none: it is left out
    size_t ranks = 0;             // that are missing; then there is no path and no end
};

// One stream with what is good of it; nothing where it is left out. `damages` gets what is missing.
std::optional<StreamFile> salvage_stream(const std::filesystem::path& directory,
                                         const std::string& relative_path, Regions regions,
                                         std::vector<Damage>& damages);

// Adds those without metadata, which are left out.
void list_without_metadata(const std::filesystem::path& directory, const FoundStreams& found,
                           std::vector<Damage>& damages);

// Takes the stream that `error` is about out of `files`; throws `error` where it is about none of them.
void leave_out(std::vector<StreamFile>& files, const std::filesystem::path& directory, const Error& error,
               std::vector<Damage>& damages);

// Adds it in place of another of that stream.
void replace(std::vector<Damage>& damages, Damage damage);

// Tells what is missing, as warnings.
void print(const std::vector<Damage>& damages);

}  // namespace ovni
