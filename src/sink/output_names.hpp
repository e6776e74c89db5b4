// The names of the Paraver files: `thread.prv`, or `thread.partial.prv` for what is good of a trace with an
// error in it.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/file.hpp"
#include "sink/sink.hpp"

namespace ovni {

class PlacedFile;

// `extension` with its dot.
std::filesystem::path output_path(const std::filesystem::path& directory, std::string_view name,
                                  std::string_view extension, Ending ending);

// The path of an output whose complete name the user chose: "x.h5", or "x.partial.h5".
std::filesystem::path output_path(const std::filesystem::path& chosen, Ending ending);

// Gives the output its name. A complete one replaces what an earlier emulation left as partial.
void commit(OutputFile& output, const std::filesystem::path& chosen, Ending ending);
void commit(PlacedFile& output, const std::filesystem::path& chosen, Ending ending);

// Removes what an earlier emulation left of partial files of that name: next to a complete output they would
// look as if they were of one trace with it.
void remove_partial(const std::filesystem::path& directory, std::string_view name);

}  // namespace ovni
