#include "sink/otf2/otf2_directory.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.hpp"
#include "base/open_directory.hpp"
#include "base/temporary_output.hpp"

namespace ovni {

namespace {

namespace fs = std::filesystem;

bool is_event_file(const fs::directory_entry& entry) {
    static constexpr std::array<std::string_view, 4> extensions = {".evt", ".def", ".snap", ".thumb"};
    return entry.symlink_status().type() == fs::file_type::regular &&
           std::ranges::find(extensions, entry.path().extension().native()) != extensions.end();
}

bool is_real_directory(const fs::path& path) {
    std::error_code none;
    return fs::symlink_status(path, none).type() == fs::file_type::directory;
}

bool is_of_archive(const fs::directory_entry& entry) {
    const fs::path name = entry.path().filename();
    if (name != otf2_events_name) return name == otf2_anchor_name || name == otf2_definitions_name;
    return is_real_directory(entry.path()) &&
           std::all_of(fs::directory_iterator(entry.path()), fs::directory_iterator(), is_event_file);
}

bool has_nothing_else(const fs::path& directory) {
    return is_real_directory(directory) &&
           std::all_of(fs::directory_iterator(directory), fs::directory_iterator(), is_of_archive);
}

// The old archive comes back if that fails.
void replace_directory(const fs::path& from, const fs::path& to) {
    const fs::path old = temporary_name(to);
    std::error_code none;
    fs::rename(to, old);
    try {
        fs::rename(from, to);
    } catch (...) {
        fs::rename(old, to, none);
        throw;
    }
    fs::remove_all(old, none);
}

void remove_files(const fs::path& directory) {
    std::error_code none;
    const fs::path events = directory / otf2_events_name;
    for (const char* name : {otf2_anchor_name, otf2_definitions_name}) fs::remove(directory / name, none);
    if (!is_real_directory(events)) return;
    for (const auto& entry : fs::directory_iterator(events))
        if (is_event_file(entry)) fs::remove(entry.path(), none);
    fs::remove(events, none);
}

// Readers begin with the anchor, so it comes last.
void move_files(const fs::path& from, const fs::path& place) {
    const Fd opened = open_directory(place);
    const fs::path to = name_of_open(opened, place), events_place = to / otf2_events_name;
    remove_files(to);
    fs::create_directory(events_place);
    if (!is_real_directory(events_place))
        throw Error("is no directory: remove it, or name another place for the archive", events_place);
    const Fd opened_events = open_directory(events_place);
    const fs::path events = name_of_open(opened_events, events_place);
    for (const auto& entry : fs::directory_iterator(from / otf2_events_name))
        fs::rename(entry.path(), events / entry.path().filename());
    for (const char* name : {otf2_definitions_name, otf2_anchor_name}) fs::rename(from / name, to / name);
}

}  // namespace

Otf2Directory::Otf2Directory(const fs::path& final_path) {
    const fs::path place = follow_own_links(final_path);
    std::error_code none;
    if (fs::exists(final_path, none) && !fs::exists(final_path / otf2_anchor_name, none) &&
        !fs::is_empty(final_path, none))
        throw Error("is there, and is no archive of OTF2", final_path);
    remove_left_over(place);
    std::error_code fault;
    if (place.has_parent_path()) fs::create_directories(place.parent_path(), fault);
    if (fault) throw Error("cannot make its directory: " + fault.message(), final_path);
    path_ = temporary_name(place);
    held_ = make_new_directory(path_, final_path);
}

Otf2Directory::~Otf2Directory() {
    std::error_code none;
    if (!path_.empty()) fs::remove_all(path_, none);
}

fs::path Otf2Directory::open_path() const {
    return name_of_open(held_, path_);
}

void Otf2Directory::move_to(const fs::path& final_path) try {
    std::error_code none;
    const fs::path place = follow_own_links(final_path);
    const bool is_free = !fs::exists(fs::symlink_status(place));
    const bool has_moved = is_free || has_nothing_else(place);
    if (is_free)
        fs::rename(path_, place);
    else if (has_moved)
        replace_directory(path_, place);
    else
        move_files(open_path(), place);
    if (has_moved) expect_unchanged(held_, place);
    fs::remove_all(path_, none);
    path_.clear();
} catch (const fs::filesystem_error& e) {
    throw Error(e.code().message(), final_path);
}

void remove_otf2_archive(const fs::path& directory) {
    std::error_code none;
    if (is_foreign_link(directory)) return;
    const fs::path place = follow_own_links(directory);
    if (!is_real_directory(place)) return;
    const Fd opened = open_directory(place);
    remove_files(name_of_open(opened, place));
    fs::remove(place, none);
}

}  // namespace ovni
