// The directory of an archive, made under a temporary name next to the final one. Files of the user in the
// final directory stay: only those of an earlier archive are replaced.
#pragma once

#include <filesystem>

#include "base/file.hpp"

namespace ovni {

// The names that the library gives to the files of an archive.
inline constexpr const char* otf2_anchor_name = "traces.otf2";
inline constexpr const char* otf2_definitions_name = "traces.def";
inline constexpr const char* otf2_events_name = "traces";

class Otf2Directory {
 public:
    // Throws Error, also if the final place has other files and no archive.
    explicit Otf2Directory(const std::filesystem::path& final_path);
    ~Otf2Directory();
    Otf2Directory(const Otf2Directory&) = delete;
    Otf2Directory& operator=(const Otf2Directory&) = delete;

    const std::filesystem::path& path() const { return path_; }
    // The name to make files in it: it stays right whatever another user puts in its place.
    std::filesystem::path open_path() const;
    // Puts the archive into its place. Throws Error.
    void move_to(const std::filesystem::path& final_path);

 private:
    std::filesystem::path path_;  // empty: it is in its place
    Fd held_;
};

// Removes the archive in that directory, and the directory if nothing else is in it. What a link of another
// user leads to stays.
void remove_otf2_archive(const std::filesystem::path& directory);

}  // namespace ovni
