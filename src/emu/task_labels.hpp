// The labels of task types, which are known at the end only: values of the channels that show types of tasks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/emulator.hpp"
#include "emu/records/schema.hpp"

namespace ovni {

struct LabelledType {
    uint32_t process = 0;  // in System
    char model = 0;
    int64_t gid = 0;
    std::string label;
};

// The types of the processes that the emulator works on, created up to that moment.
std::vector<LabelledType> labelled_types(Emulator& emulator, Moment end);

// Whether the emulator saw the end of all streams. If not, only some of the files get labels.
enum class Seen : uint8_t { all, part };

// Adds the labels of all types of the trace to the schema: by process, within it in order of creation. The
// first label of a value stays; returns a sentence for each model in which one value has two labels.
std::vector<std::string> add_task_labels(Schema& schema, const Plan& plan, std::vector<LabelledType> types,
                                         Seen seen);

}  // namespace ovni
