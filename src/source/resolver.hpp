// Functions and lines of calls, from the debug information and symbols of the files that held the code. They
// are read from the paths that the trace names, and, for files without debug information of their own, from
// where the system keeps it (/usr/lib/debug/.build-id). A build without elfutils finds nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trace/call_site.hpp"

namespace ovni {

struct SourcePlace {
    std::string function;  // readable: C++ names are demangled; empty: not known
    std::string file;      // as the compiler had it; empty: not known
    int line = 0;          // 0: not known
};

using SourceFrames = std::vector<SourcePlace>;  // the innermost first

class Resolver {
 public:
    Resolver();
    ~Resolver();
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;

    // The call that returns to that address of the file: in an inlined function that function, then the one
    // that it is inlined into, and so on to the function that has code of its own. One place at least;
    // whatever cannot be found is empty.
    SourceFrames frames_of(const CodeModule& module, uint64_t return_address);

    // A sentence for each file that could not be used: it is gone, or has changed since.
    const std::vector<std::string>& remarks() const { return remarks_; }

 private:
    struct Files;
    std::unique_ptr<Files> files_;
    std::vector<std::string> remarks_;
};

}  // namespace ovni
