// How an emulation is spread over ranks. This class is that of one process, which reads and emulates
// everything; mpi/emu has the one that deals the looms of a trace to many ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/ranks.hpp"
#include "emu/system.hpp"
#include "session/options.hpp"
#include "session/stretch.hpp"
#include "sink/writer.hpp"
#include "trace/clock_sources.hpp"
#include "trace/stream_reader.hpp"
#include "trace/tie_order.hpp"
#include "trace/trace.hpp"

namespace ovni {

// The exact order of events for a merger that has only some streams of a trace.
class TieRounds {
 public:
    // The ties in events up to and with the clock `until`, INT64_MAX after the last event.
    struct Round {
        int64_t until = 0;
        Ties ties;
    };
    virtual ~TieRounds() = default;
    // The next round. Collective.
    virtual Round next() = 0;
};

// Collective functions say so; their results are alike on all ranks, if nothing else is said.
class Distribution {
 public:
    explicit Distribution(const EmulationOptions& options) : options_(options) {}
    virtual ~Distribution() = default;

    virtual const Ranks& ranks() const { return alone_; }

    // Files that tell of clocks, next to the metadata of the trace. Collective; throws Error.
    virtual ClockSources read_clock_sources();
    // The trace, or with --keep-going what is good of it. Collective; throws Error.
    virtual Trace read_trace(const ClockSources& clocks, std::vector<Damage>& damages);
    // Throws Error if a part is missing that only a distributed trace can lack. Local.
    virtual void check(const Trace&, const System&, const ClockModel&) const {}
    // The looms that this rank emulates, true for each. Local.
    virtual std::vector<bool> my_looms(const Trace& trace, const System& system) const;
    // Does this rank read a stream that is no thread's? One rank does.
    virtual bool reads_stray(uint32_t /*stream*/) const { return true; }
    // The exact order, if the merger of a rank cannot find it; else null. `open` opens the streams of this
    // rank, to be read once more. Collective.
    using Open = std::function<std::vector<StreamReader>()>;
    virtual std::unique_ptr<TieRounds> tie_rounds(const Open& /*open*/, size_t /*streams*/) {
        return nullptr;
    }
    // Turns what every rank has made into its slice of the whole. Collective.
    virtual void exchange(Stretch& made, Stretch& slice) { std::swap(made, slice); }

    // How many records a rank collects before the next step of all ranks.
    virtual size_t window_size() const { return size_t{8} << 10; }
    virtual Writer::Mode writer_mode() const { return Writer::best_mode(); }

 protected:
    const EmulationOptions& options_;

 private:
    Ranks alone_;
};

}  // namespace ovni
