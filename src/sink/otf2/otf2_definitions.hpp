// The definitions of an OTF2 archive: clock, nodes, processes, threads, regions, counters, communicators,
// windows and files.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "emu/plan/plan.hpp"
#include "sink/otf2/otf2_archive.hpp"
#include "sink/otf2/otf2_communicators.hpp"
#include "sink/otf2/otf2_location.hpp"
#include "sink/otf2/otf2_objects.hpp"

namespace ovni {

struct Otf2Content {
    const Schema& schema;  // with all labels
    const Otf2Communicators& communicators;
    const Otf2Objects& objects;
    std::vector<Otf2Region> regions;  // the place is the number
    std::vector<uint32_t> counters;   // places in the types of the thread file, in the order of their numbers
    std::vector<uint64_t> events;     // by thread
    uint64_t end = 0;                 // time of the last event
};

// The label of what a type shows, or the value.
std::string label_of(const EventType& type, int64_t value);

// Writes all of them. Throws Error.
void write_definitions(Otf2Archive& archive, const Otf2Content& content);

}  // namespace ovni
