// The ROW file of a trace: the labels of its rows.
#pragma once

#include <string>

#include "emu/records/schema.hpp"

namespace ovni {

std::string row_text(const FileSchema& schema);

}  // namespace ovni
