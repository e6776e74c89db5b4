// The third step of an emulation: all events are played, and their records written.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emu/emulator.hpp"
#include "session/opened_trace.hpp"
#include "session/replay/window.hpp"
#include "session/report/report.hpp"
#include "session/scanned_trace.hpp"
#include "session/statistics.hpp"
#include "sink/writer.hpp"

namespace ovni {

enum class Tallied : bool { no, yes };

class PlayedTrace {
 public:
    // `readers`: OpenedTrace::open_streams(). The other steps outlive this. Collective; throws Error.
    PlayedTrace(const OpenedTrace& opened, ScannedTrace& scanned, std::vector<StreamReader> readers,
                int64_t origin, Tallied tallied);
    PlayedTrace(const PlayedTrace&) = delete;
    PlayedTrace& operator=(const PlayedTrace&) = delete;

    // The sinks have begun. Collective; throws Error.
    void play(const Writer::Sinks& sinks, EmulationCost& cost);
    bool is_whole() const { return !window.error() && !window.was_interrupted(); }
    Ending ending() const;

    Emulator emulator;
    std::optional<Tallies> tallies;
    Window window;  // after play(): how it ended

 private:
    const OpenedTrace& opened_;
};

}  // namespace ovni
