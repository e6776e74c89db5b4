// The outputs of a program, looked at before anything is written: what they would destroy is found out at the
// beginning, and not by whoever reads them later. Links are followed, names need not exist yet.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ovni {

struct Output {
    enum class Kind { file, directory } kind = Kind::file;
    std::string what;  // what messages call it: "--report"
    std::filesystem::path path;
};

struct Input {
    std::string what;
    std::filesystem::path path;
};

// Throws UsageError where two outputs are one file, or one would have to be a directory for the other's sake;
// Error, which names both, for an output at the place of an input, and for a file that is a directory.
void check_outputs(const std::vector<Output>& outputs, const std::vector<Input>& inputs);

// Absolute, without links and dots as far as there is something. Never throws for what is there.
std::filesystem::path resolved(const std::filesystem::path& path);

// Is it this directory, or anywhere inside?
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& directory);

}  // namespace ovni
