// The fixed files of targets that damage only one file of a stream.
#pragma once

#include "tests/fuzz/target.hpp"
#include "trace/trace.hpp"

namespace ovni::fuzz {

inline constexpr std::string_view no_events("ovni\1\0\0\0", 8);

// Metadata that no event has a meaning with.
inline constexpr std::string_view plain_metadata =
    R"({"version": 3, "ovni": {"part": "thread", "tid": 1, "pid": 1,
    "loom": "node0.1", "app_id": 1, "require": {"ovni": "1.1.0"}, "finished": 1, "end": {"by": "signal", "code": 9}}})";

// Requires all models, with a mark, a clock and an end by force: then most events have a meaning.
inline constexpr std::string_view rich_metadata = R"({"version": 3, "ovni": {
    "lib": {"version": "1.14.0", "commit": "none"}, "part": "thread", "tid": 1, "pid": 1, "loom": "node0.1",
    "app_id": 1, "rank": 0, "nranks": 2, "loom_cpus": [{"index": 0, "phyid": 0}, {"index": 1, "phyid": 1}],
    "require": {"ovni": "1.1.0", "mpi": "1.0.0", "nanos6": "1.1.0", "nosv": "2.0.0", "nodes": "1.0.0",
        "tampi": "1.0.0", "openmp": "1.1.0", "kernel": "1.0.0"},
    "mark": {"5": {"chan_type": "stack", "title": "phase", "labels": {"3": "three"}},
        "6": {"chan_type": "single", "title": "step"}},
    "clock": {"reference": "node0", "points": [{"local": 900, "offset": 10, "low": 5, "high": 15,
        "round_trip": 10, "samples": 9, "method": "envelope"}]},
    "end": {"by": "signal", "code": 9}, "finished": 1}, "nosv": {"can_breakdown": true}})";

// A stream of which the input has the file `name`, and behind a separator the events.
inline void put_stream(const TraceInMemory& files, const std::string& name, std::string_view input) {
    const std::vector<std::string_view> texts = files_of(input, 2);
    files.put("stream.json", plain_metadata);
    files.put(name, texts.front());
    files.put("stream.obs", texts.size() > 1 ? texts[1] : no_events);
}

}  // namespace ovni::fuzz
