// The files that tell of clocks, as they stand: one process can read them for others, which interpret them
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

    // Each from the first of the directories that has it. Throws Error for what is there and cannot be read,
    // and where the file of the option is not there.
    static ClockSources find(const std::optional<std::string>& option,
                             const std::vector<std::filesystem::path>& directories);
};

}  // namespace ovni
