#include "run/other_run.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/outputs.hpp"
#include "ring/session.hpp"
#include "ring/stream_note.hpp"
#include "run/older_trace.hpp"
#include "run/run_directories.hpp"

namespace ovni::run {

namespace {

namespace fs = std::filesystem;

// A program below ovnirun, or one that a world has spawned, goes on with the trace.
bool belongs_to_trace() {
    return appends_to_trace() || std::getenv("OVNI_SESSION") || std::getenv("OVNI_SPAWNED");
}

bool writes_into(const writer::Session& session, const fs::path& directory) {
    const uint32_t rings = session.header().rings.load();
    for (uint32_t number = 0; number < rings; ++number) {
        const writer::Ring ring = writer::Ring::open(session.ring_path(number));
        if (!ring.is_mapped() || is_over(ring.header()) || !owner_lives(ring.header())) continue;
        const auto note = writer::StreamNote::read(session.note_path(number));
        if (note && resolved(note->roots.trace) == resolved(directory)) return true;
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
