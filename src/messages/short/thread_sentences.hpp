// Sentences on the time that threads lose outside of MPI.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "messages/hybrid/hybrid_efficiency.hpp"
#include "messages/short/sentence.hpp"

namespace ovni {

struct ShortThreads {
    std::vector<HybridEfficiency> efficiencies;  // the run is the first; empty: of single threads
    ThreadUseFacts uses;
    std::map<int64_t, std::string> parallel_regions;  // labels by value
    // The lock that threads wait for longest, by its name, in all processes together.
    struct Lock {
        std::string name;  // "mutex table_lock (update table.c:12)"; empty: none
        uint64_t ns = 0, waits = 0;
        uint32_t processes = 0, process = 0;  // how many have it, and the one that waits longest
        uint64_t ns_of_process = 0;
    } lock = {};
};

// `who`: the name of a process.
std::vector<Sentence> thread_sentences(const ShortThreads& of,
                                       const std::function<std::string(uint32_t process)>& who);

}  // namespace ovni
