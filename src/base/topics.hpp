// The pages of src/base/help, one for each file there.
#pragma once

#include "base/manual.hpp"

namespace ovni::topics {

extern const Topic analysis;
extern const Topic columns;
extern const Topic control;
extern const Topic cost;
extern const Topic counters;
extern const Topic cut;
extern const Topic emit;
extern const Topic outputs;
extern const Topic plots;
extern const Topic report;
extern const Topic settings;
extern const Topic tables;
extern const Topic trouble;

}  // namespace ovni::topics
