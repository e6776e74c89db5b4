#include "trace/clock_sources.hpp"

#include <sys/stat.h>

#include <cerrno>

#include "base/file.hpp"

namespace ovni {

namespace {

bool is_there(const std::filesystem::path& file) {
    struct stat info {};
    // A trace that is not a directory, or may not be searched, is reported when the trace is read.
    return ::stat(file.c_str(), &info) == 0 || (errno != ENOENT && errno != ENOTDIR && errno != EACCES);
}

std::optional<ClockSources::File> first_of(const std::vector<std::filesystem::path>& directories,
                                           const char* name) {
    for (const std::filesystem::path& directory : directories)
        if (std::filesystem::path path = directory / name; is_there(path))
            return ClockSources::File{path, read_file(path)};
    return std::nullopt;
}

}  // namespace

ClockSources ClockSources::find(const std::optional<std::string>& option,
                                const std::vector<std::filesystem::path>& directories) {
    ClockSources found;
    if (option) {
        found.chosen = File{*option, read_file(*option)};
    } else {
        found.measured = first_of(directories, clock_file_name);
        found.table = first_of(directories, clock_table_name);
    }
    return found;
}

void ClockSources::name_as_in(const std::filesystem::path& directory) {
    for (std::optional<File>* file : {&measured, &table})
        if (*file) (*file)->path = directory / std::filesystem::path((*file)->path).filename();
}

}  // namespace ovni
