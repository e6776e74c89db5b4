#include "run/other_run.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "ring/stream_note.hpp"
#include "run/census.hpp"
#include "run/run_directories.hpp"

namespace ovni::run {

namespace {

namespace fs = std::filesystem;

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value && *value && std::string_view(value) != "0";
}

// A program below ovnirun, or one that a world has spawned, goes on with the trace.
bool belongs_to_trace() {
    return is_set("OVNI_APPEND") || is_set("OVNI_SESSION") || is_set("OMPI_PARENT_PORT") ||
           is_set("PMI_SPAWNED");
}

// Neither need exist yet.
bool is_same(const fs::path& one, const fs::path& other) {
    std::error_code fault;
    return fs::equivalent(one, other, fault) || one.lexically_normal() == other.lexically_normal();
}

bool writes_into(const writer::Session& session, const fs::path& directory) {
    const uint32_t rings = session.header().rings.load();
    for (uint32_t number = 0; number < rings; ++number) {
        const writer::Ring ring = writer::Ring::open(session.ring_path(number));
        if (!ring.is_mapped() || is_over(ring.header()) || !owner_lives(ring.header())) continue;
        const auto note = writer::StreamNote::read(session.note_path(number));
        if (note && is_same(note->roots.trace, directory)) return true;
    }
    return false;
}

}  // namespace

void warn_of_other_run(const std::string& directory, const std::string& run) {
    if (belongs_to_trace()) return;
    for (const fs::path& place : run_directories()) {
        const writer::Session session = writer::Session::open(place.string());
        if (!session.is_valid() || !session.is_served() || session.header().run == run ||
            !writes_into(session, directory))
            continue;
        std::fprintf(
            stderr,
            "ovnirun: warning: a program of another run, of job %s, writes to %s now, too: name another "
            "directory with -o, as only one of both runs can be emulated\n",
            name_of_run(place).job.c_str(), directory.c_str());
        return;
    }
}

}  // namespace ovni::run
