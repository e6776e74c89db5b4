#include "sink/output_names.hpp"

#include <fmt/format.h>

#include <system_error>

#include "sink/placed_file.hpp"

namespace ovni {

std::filesystem::path output_path(const std::filesystem::path& directory, std::string_view name,
                                  std::string_view extension, Ending ending) {
    return directory / fmt::format("{}{}{}", name, ending == Ending::partial ? ".partial" : "", extension);
}

std::filesystem::path output_path(const std::filesystem::path& chosen, Ending ending) {
    if (ending != Ending::partial) return chosen;
    std::filesystem::path partial = chosen;
    return partial.replace_extension(".partial" + chosen.extension().string());
}

namespace {

template <class File>
void commit_and_replace(File& output, const std::filesystem::path& chosen, Ending ending) {
    output.commit_as(output_path(chosen, ending));
    std::error_code none;
    if (ending != Ending::partial) std::filesystem::remove(output_path(chosen, Ending::partial), none);
}

}  // namespace

void commit(OutputFile& output, const std::filesystem::path& chosen, Ending ending) {
    commit_and_replace(output, chosen, ending);
}

void commit(PlacedFile& output, const std::filesystem::path& chosen, Ending ending) {
    commit_and_replace(output, chosen, ending);
}

void remove_partial(const std::filesystem::path& directory, std::string_view name) {
    std::error_code ignored;
    for (std::string_view extension : {".prv", ".pcf", ".row"})
        std::filesystem::remove(output_path(directory, name, extension, Ending::partial), ignored);
}

}  // namespace ovni
