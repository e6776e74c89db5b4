// The text of the files about clocks: one process can read them for others, which interpret them
// (clock_model.hpp).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ovni {

inline constexpr const char* clock_file_name = "clocks.json";
inline constexpr const char* clock_table_name = "clock-offsets.txt";

struct ClockSources {
    struct File {
        std::string path, text;
    };
    std::optional<File> chosen;    // by option -c, instead of the others
    std::optional<File> measured;  // clocks.json
    std::optional<File> table;     // clock-offsets.txt

    // Takes each from the first of the directories that has it. Throws Error if a file cannot be read, or if
    // the file of the option is missing.
    static ClockSources find(const std::optional<std::string>& option,
                             const std::vector<std::filesystem::path>& directories);
    // From now on messages name the files of a trace as if they lay in `directory`.
    void name_as_in(const std::filesystem::path& directory);
};

}  // namespace ovni
