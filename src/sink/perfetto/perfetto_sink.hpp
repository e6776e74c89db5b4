// --perfetto: the trace for ui.perfetto.dev, as a stream of packets. A process of the trace has a track, a
// thread one below it with its calls of MPI, and each further type one below that, made when it first shows
// something. Messages are flows from the call that sends to an instant where the receive ends. Waits and
// collectives are known at the end only and stand behind all else: the order of packets in the file need not
// be that of time.
#pragma once

#include <filesystem>
#include <memory>

#include "sink/sink.hpp"

namespace ovni {

// Throws UsageError if this build has no protozero.
std::unique_ptr<Sink> make_perfetto_sink(const std::filesystem::path& path);

}  // namespace ovni
