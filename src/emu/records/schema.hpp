// The facts that a sink needs besides the records: rows, event types and their labels. Equal on all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/interned.hpp"
#include "base/text_list.hpp"
#include "emu/records/value_labels.hpp"

namespace ovni {

// An event type of a trace file. Types and labels are in the order in which they were defined.
struct EventType {
    uint32_t type = 0;
    std::string title;
    ValueLabels labels;
    bool is_in_pcf = true;  // the PCF of the reference leaves some out
    uint32_t number = 0;    // in outputs, if it is not `type`: for types that need more than 16 bits
    uint32_t shown() const { return number != 0 ? number : type; }
};

// A colour beyond the fixed table of the PCF, for a value that this trace shows.
struct ExtraColor {
    int value = 0;
    uint8_t red = 0, green = 0, blue = 0;
};

// A trace file with its PCF and ROW.
struct FileSchema {
    std::string name;         // "thread", "cpu", "nosv-breakdown"
    Interned<TextList> rows;  // labels; position = row
    std::vector<EventType> types;
    std::vector<ExtraColor> colors = {};
    // A value of the type `expanded_type` stands in PRV as values of several types: expansions[value] is its
    // text, as ":70000001:2:80000001:5". These types are in the PCF only.
    uint32_t expanded_type = 0;
    std::vector<std::string> expansions = {};
    std::vector<EventType> types_of_expansions = {};
};

// A process of the trace, and the thread of a row of the thread file.
struct ShownProcess {
    std::string host;  // any bytes
    int pid = 0;
    std::optional<int> rank;        // in its world
    std::optional<uint32_t> world;  // from 0
    std::string rank_name = {};     // "3", or "2.3" in a trace of several worlds; empty without a rank
};
struct ShownThread {
    uint32_t process = 0;  // in Schema::processes
    int tid = 0;
    bool counts_at_once = false;  // its counters count from its begin on, not from its first border
};

struct Schema {
    // The files of a trace have numbers: thread is the first, cpu the second.
    static constexpr size_t first_breakdown = 2;

    FileSchema thread, cpu;
    std::vector<FileSchema> breakdowns;  // the rows of their records are thread rows
    std::vector<ShownProcess> processes = {};
    std::vector<ShownThread> threads = {};  // by row of `thread`
    std::optional<int64_t> began = {};      // when the run began, in s since 1970, if that is known
};

}  // namespace ovni
