// The causes that cost a run most, as sentences: what happens, where, how much of the run it costs, and what
// to try.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emu/plan/system.hpp"
#include "messages/costs/delay_costs.hpp"
#include "messages/costs/efficiency.hpp"
#include "messages/match/find_messages.hpp"
#include "messages/short/thread_sentences.hpp"
#include "messages/waits/find_waits.hpp"
#include "trace/trace.hpp"

namespace ovni {

// Places in the source, for sentences.
struct ShortPlaces {
    std::map<uint32_t, std::string> of_sites;      // "solve heat.c:12", by MpiCaller::site
    std::map<uint32_t, std::string> of_functions;  // the line that calls it for longest, of all processes
    // Two calls of MPI that follow each other, "MPI_Barrier (solve heat.c:12)", by process: between them it
    // exceeds the mean of all processes most.
    struct Stretch {
        std::string from, to;
    };
    std::map<uint32_t, Stretch> longer;
};

struct ShortSources {
    const Trace& trace;
    const System& system;
    const std::map<int64_t, std::string>& regions;  // names by value
    const std::vector<Efficiency>& efficiencies;    // the run is the first; may be empty
    const std::vector<DelayCost>& delays;
    const MessageSummary& messages;
    ShortThreads threads = {};
    ShortPlaces places = {};
    // ns that all ranks spend in a function without waiting for a rank, by place in mpi_function_rows; empty:
    // unknown.
    std::map<uint32_t, uint64_t> in_functions = {};
    std::vector<WaitSum> waits = {};
    std::vector<std::string> deadlocks = {};  // a sentence each
    // CPUs with several running threads at once: how many, the worst one, and the share of the trace that
    // this lasts.
    struct Crowd {
        size_t cpus = 0;
        std::string worst;
        double share = 0;
        // Processes there that have too few CPUs for their threads: the first of them, how many, their
        // threads in all and those of each at most, and the CPUs that they may use, "0-3,8". ranks = 0: none.
        uint32_t cramped = 0, ranks = 0, threads = 0, of_each = 0;
        std::string list = {};
    } crowd = {};
    // CPUs of a node that other programs used, too.
    struct OtherPrograms {
        std::string host, list;  // "0-3,8"
        size_t cpus = 0;
        double share = 0;  // of the time of these CPUs
    };
    std::optional<OtherPrograms> other_programs = std::nullopt;
};

// At most five sentences. Deadlocks come first, then shared CPUs and other programs, as times mean less
// there, then the greatest costs. Causes below 3 % of the run are left out; a sentence says so if none is
// left.
std::vector<std::string> in_short(const ShortSources& of);

}  // namespace ovni
