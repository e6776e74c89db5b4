// Checks the outputs of a program before anything is written, so that none destroys an input or another
// output. Links are followed, names need not exist yet.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ovni {

enum class OutputKind { file, directory };

struct Output {
    OutputKind kind = OutputKind::file;
    std::string what;  // what messages call it: "--report"
    std::filesystem::path path;
};

struct Input {
    std::string what;
    std::filesystem::path path;
};

// Throws UsageError if two outputs are one file, or if one would have to be a directory because of the other.
// Throws Error, which names both, for an output at the place of an input, and for a file that is a directory.
void check_outputs(const std::vector<Output>& outputs, const std::vector<Input>& inputs);

// The absolute path, without links and dots as far as it exists. Never throws because of what is there.
std::filesystem::path resolved(const std::filesystem::path& path);

// True for this directory and anything inside.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& directory);

}  // namespace ovni
