// The part of tests/oracle/models.json from which events follow alone: states that are pushed and popped,
// idle states, and events without effect.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ovni/event_code.hpp"

namespace ovni::test::random_trace {

// One state of a stack channel; several events may enter and leave it.
struct StateRow {
    int value;
    std::vector<EventCode> enter, leave;
};

struct StackTable {
    bool repeats;  // a state may be pushed on itself
    std::vector<StateRow> rows;
};

struct IdleRow {
    EventCode code;
    int value;
};

struct ModelTable {
    char id = 0;
    std::string name, version;
    std::map<std::string, StackTable> stacks;  // by name of the channel
    std::vector<IdleRow> idle;
    std::vector<EventCode> ignored;   // without payload
    std::vector<EventCode> declared;  // all events of the model
};

// Tables by character of the model. Read once.
const std::map<char, ModelTable>& model_tables();

}  // namespace ovni::test::random_trace
