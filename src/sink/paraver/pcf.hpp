// The PCF file of a trace: display options, colours, and the event types with the labels of their values.
#pragma once

#include <string>
#include <string_view>

#include "emu/records/schema.hpp"

namespace ovni {

// The schema's colours follow the fixed table. Values of labels are cut to 32 bits, which is what Paraver
// reads.
std::string pcf_text(const FileSchema& schema);

// The beginning of any PCF.
inline constexpr std::string_view pcf_options = R"(DEFAULT_OPTIONS

LEVEL               THREAD
UNITS               NANOSEC
LOOK_BACK           100
SPEED               1
FLAG_ICONS          ENABLED
NUM_OF_STATE_COLORS 1000
YMAX_SCALE          37


DEFAULT_SEMANTIC

THREAD_FUNC         State As Is


)";

}  // namespace ovni
