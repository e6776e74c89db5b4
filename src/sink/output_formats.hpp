// The outputs that a user may ask for besides Paraver's: one row per format.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "base/manual.hpp"
#include "sink/sink.hpp"

namespace ovni {

struct OutputFormat {
    OptionRow option;  // its value is the path of the output: a file
    std::unique_ptr<Sink> (*make)(const std::filesystem::path& path);
};

std::span<const OutputFormat> output_formats();

}  // namespace ovni
