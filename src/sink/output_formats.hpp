// The outputs that a user may ask for besides Paraver's: one row per format.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "base/manual.hpp"
#include "base/outputs.hpp"
#include "sink/sink.hpp"

namespace ovni {

struct OutputFormat {
    OptionRow option;  // its value is the path of the output, unless that has a name of its own
    // `path`: of the output, or of the directory of all outputs. Throws UsageError if this build lacks the
    // library for it. Makes no file.
    std::unique_ptr<Sink> (*make)(const std::filesystem::path& path);
    OutputKind kind = OutputKind::file;
    const char* own_name = nullptr;  // of a PRV with its PCF and ROW, in the directory of all outputs
};

std::span<const OutputFormat> output_formats();

}  // namespace ovni
