// The outputs that a user may ask for besides Paraver's: one row per format.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "sink/sink.hpp"

namespace ovni {

struct OutputFormat {
    const char* option;  // its value is the path of the output: a file
    const char* help;
    std::unique_ptr<Sink> (*make)(const std::filesystem::path& path);
};

std::span<const OutputFormat> output_formats();

}  // namespace ovni
