// The call sites of MPI in all streams of a trace, with names. Functions, lines and sites are numbered from 1
// in the order of their labels, so the numbers are alike wherever the trace is read: they are the values in
// outputs. A site is a chain of callers, also inlined ones, with as many as ovnirun was asked for
// (--callsites); calls of several functions of MPI may share one.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "model/mpi_sums.hpp"
#include "source/resolver.hpp"
#include "trace/trace.hpp"

namespace ovni {

// All that the streams of the trace describe, sorted.
std::vector<CodePlace> code_places(const Trace& trace);

// The names of these places, in their order. What cannot be read of the program's files is a warning.
std::vector<SourceFrames> resolve(const std::vector<CodePlace>& places);

class CallSites {
 public:
    struct Caller {
        uint32_t function = 0, line = 0;  // in functions() and lines(), from 1
        auto operator<=>(const Caller&) const = default;
    };
    using Chain = std::vector<Caller>;  // the innermost first

    CallSites() = default;
    // `names`: of code_places(trace).
    CallSites(const Trace& trace, const std::vector<SourceFrames>& names);

    bool empty() const { return chains_.empty(); }
    // The longest chain.
    size_t levels() const { return levels_; }
    const std::vector<std::string>& functions() const { return functions_; }
    const std::vector<std::string>& lines() const { return lines_; }
    // The callers of a site, which counts from 1: chains()[site - 1].
    const std::vector<Chain>& chains() const { return chains_; }
    // "solve heat.c:12, main heat.c:40"; an address if nothing else is known; "unknown" for site 0.
    std::string text(uint32_t site) const;

    // "solve heat.c:12" of the innermost caller, or its address; empty if the site is unknown.
    std::string line_of(uint32_t site) const;

    // The sites that events of each stream name.
    const std::vector<MpiSites>& of_streams() const { return of_stream_; }
    const MpiSites& of_stream(uint32_t stream) const { return of_stream_[stream]; }

 private:
    std::string text_of(const Caller& caller) const;

    std::vector<std::string> functions_, lines_;
    std::vector<Chain> chains_;
    size_t levels_ = 0;
    std::vector<MpiSites> of_stream_;
};

// Call sites with the names that this node's files give.
inline CallSites resolved_call_sites(const Trace& trace) {
    return {trace, resolve(code_places(trace))};
}

// Call sites without names, which are enough to check events.
inline CallSites unnamed_call_sites(const Trace& trace) {
    return {trace, std::vector<SourceFrames>(code_places(trace).size(), SourceFrames(1))};
}

}  // namespace ovni
