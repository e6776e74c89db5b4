// The fixed files of targets that damage only one file of a stream.
#pragma once

#include "tests/fuzz/target.hpp"
#include "trace/trace.hpp"

namespace ovni::fuzz {

// For what does not look at events.
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

}  // namespace ovni::fuzz
