// The text of --version.
#pragma once

#include <string>
#include <string_view>

namespace ovni {

// Program, version, commit, HDF5 and options of the build. `libraries`: further lines.
std::string version_text(std::string_view program, std::string_view libraries = {});

}  // namespace ovni
