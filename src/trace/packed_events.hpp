// The plain stream that is in a packed stream.obs (ovni/packed.h), for FileWindow.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/file_window.hpp"

namespace ovni {

// The decoder of a packed stream; null for any other file. Reads the headers of all blocks. Where a block is
// cut, damaged or missing the plain stream ends; the fault has that offset in it. Memory: the events of one
// block, and 16 bytes for each.
std::unique_ptr<FileWindow::Decoder> packed_events(const Fd& file, uint64_t size, const std::string& path);

}  // namespace ovni
