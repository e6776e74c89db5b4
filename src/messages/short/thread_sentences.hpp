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
    // The object of POSIX threads that threads of a process wait for longest.
    struct Lock {
        std::string name;  // "mutex table_lock"; empty: none
        uint32_t process = 0;
        uint64_t ns = 0, waits = 0;
    } lock = {};
};

// `who`: the name of a process.
std::vector<Sentence> thread_sentences(const ShortThreads& of,
                                       const std::function<std::string(uint32_t process)>& who);

}  // namespace ovni
