// Places in the program as texts describe them: those of stream.json that called MPI (ovni/mpi_events.h), and
// code in events of threads (ovni/pthread_events.h, ovni/openmp_events.h).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ovni {

// A file whose code was in the process.
struct CodeModule {
    std::string build_id;  // hexadecimal digits; empty: it has none
    std::string path;
    auto operator<=>(const CodeModule&) const = default;
};

// An address behind a call.
struct CodePlace {
    CodeModule module;  // without a path: code of no file
    uint64_t offset = 0;
    auto operator<=>(const CodePlace&) const = default;
};

struct CallSite {
    struct Caller {
        std::optional<uint32_t> module;  // number; nothing: code of no file
        uint64_t offset = 0;             // the return address in the file, or without one in memory
        bool operator==(const Caller&) const = default;
    };
    std::string function;         // "MPI_Send"
    std::vector<Caller> callers;  // the innermost first; 1 to OVNI_MPI_MOST_CALLERS
    bool operator==(const CallSite&) const = default;
};

// The module, place or call site that a text describes; missing if the text has another form.
std::optional<CodeModule> parse_module(std::string_view text);
std::optional<CodePlace> parse_code_place(std::string_view text);
std::optional<CallSite> parse_call_site(std::string_view text);

}  // namespace ovni
