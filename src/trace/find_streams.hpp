// The directories of a trace that are streams: those at any depth that hold stream.json. Links to directories
// are followed when all real ones were visited, so a stream keeps its real name, and every directory counts
// once, so loops end. A directory that is mounted at two places may count twice: each share of the work looks
// for itself.
//
// Ranks can share the work: one calls list_top(), each calls list_trees() for a part of the subdirectories
// that are left, and one calls found_in(). All throw Error for a directory that cannot be read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ovni {

// Relative paths, sorted bytewise.
struct FoundStreams {
    std::vector<std::string> streams;
    std::vector<std::string> without_metadata;  // stream.obs alone
};

// The directories that were seen. Paths are relative to the trace.
struct Listing {
    struct Directory {
        std::string path;
        bool has_metadata = false, has_events = false;
    };
    std::vector<Directory> directories;  // visited
    std::vector<std::string> unvisited;  // subdirectories
    std::vector<std::string> links;      // to directories or anything else
};

// Does all of this, on several threads if there are many subdirectories.
FoundStreams find_streams(const std::filesystem::path& directory);

// From the trace directory down, level by level, until `enough` subdirectories are unvisited, or none.
Listing list_top(const std::filesystem::path& directory, size_t enough);
// All that is below these subdirectories, but not what links lead to.
Listing list_trees(const std::filesystem::path& directory, const std::vector<std::string>& subdirectories);
// Follows the links.
FoundStreams found_in(const std::filesystem::path& directory, std::vector<Listing> listings);

}  // namespace ovni
