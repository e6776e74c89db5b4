// A big trace of a given shape, for benchmarks: accepted in linter mode, the same bytes for the same shape.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/bench/activity.hpp"
#include "tests/bench/thread_script.hpp"

namespace ovni::bench {

enum class Ranks : uint8_t { none, one_per_process };
enum class StreamCrc : uint8_t { none, written };
enum class Looms : uint8_t {
    equal,
    growing  // events as 1 : 2 : 3 ..., in the same time
};
enum class Cpus : uint8_t {
    own,
    virtual_one  // of the loom, for all its threads
};

struct TraceShape {
    uint32_t looms = 8;
    uint32_t processes = 1;    // of a loom
    uint32_t threads = 4;      // of a process
    Cpus cpus = Cpus::own;     // of a thread
    uint64_t events = 100000;  // in all
    Mix mix = Mix::regions;
    std::vector<const Activity*> activities;
    Ranks ranks = Ranks::none;
    uint64_t seed = 1;
    StreamCrc crc = StreamCrc::none;
    uint32_t gap = 1000;   // mean ns between events of a thread
    uint32_t pending = 1;  // of messages, see MessagePlan
    uint32_t idle = 0;     // events that change nothing behind each other one, see ThreadPlan
    Looms sizes = Looms::equal;

    uint64_t streams() const { return uint64_t{looms} * processes * threads; }
};

// Throws Error where the shape makes no trace, and where one cannot be written.
void generate(const TraceShape& shape, const std::filesystem::path& directory);

}  // namespace ovni::bench
