// Checks the outputs of a program before anything is written, so that no output overwrites an input or
// another output. Links are followed; names need not exist yet.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ovni {

enum class OutputKind { file, directory };

struct Output {
    OutputKind kind = OutputKind::file;
    std::string what;  // its name in messages: "--report"
    std::filesystem::path path;
};

struct Input {
    std::string what;
    std::filesystem::path path;
};

// Throws UsageError if two outputs are one file, or if one output would have to be a directory for another
// one. Throws Error with both names if an output would overwrite an input, or if an output file is a
// directory.
void check_outputs(const std::vector<Output>& outputs, const std::vector<Input>& inputs);

// The absolute path; links and dots in its existing part are resolved. Does not throw on errors of the file
// system.
std::filesystem::path resolved(const std::filesystem::path& path);

// True if the path is the directory or inside it.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& directory);

}  // namespace ovni
