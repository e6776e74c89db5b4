// The PCF file of a trace: display options, colours, and the event types with the labels of their values.
#pragma once

#include <string>

#include "emu/schema.hpp"

namespace ovni {

// The schema's colours follow the fixed table. Values of labels are cut to 32 bits, which is what Paraver
// reads.
std::string pcf_text(const FileSchema& schema);

}  // namespace ovni
