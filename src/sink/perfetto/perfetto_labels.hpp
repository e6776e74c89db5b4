// The names of what tracks show, for slices that refer to names by number. Labels of the schema have numbers
// from the beginning. Labels of task types are known at the end only: their numbers are made of type and
// value, and the names of used numbers are given at the end.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "emu/plan/plan.hpp"
#include "sink/perfetto/perfetto_packets.hpp"

namespace ovni {

class PerfettoLabels {
 public:
    // Further names come first; their numbers count from 1.
    PerfettoLabels(const Plan& plan, std::vector<std::string> further);

    // `type`: a place in the types of the thread file. Notes which late numbers were used.
    PerfettoName name_of(uint32_t type, int64_t value);
    // The names that are known at the beginning, in the order of numbers.
    const PerfettoNames& first() const { return first_; }
    // The late numbers that this rank has used.
    std::vector<uint64_t> used_late() const { return {used_late_.begin(), used_late_.end()}; }
    // `numbers`: of any ranks. `types`: with all labels.
    static PerfettoNames late(std::vector<uint64_t> numbers, const std::vector<EventType>& types);

 private:
    struct OfType {
        std::unordered_map<int64_t, uint64_t> numbers;
        bool has_late = false;
    };
    std::vector<OfType> types_;
    PerfettoNames first_;
    std::set<uint64_t> used_late_;
};

}  // namespace ovni
