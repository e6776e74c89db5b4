// How an emulation is spread over ranks: which rank reads what. thread_distribution.hpp implements it for a
// single process, mpi/emu for many processes, which may see different disks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/ranks.hpp"
#include "emu/plan/system.hpp"
#include "session/deal/parts.hpp"
#include "sink/writer.hpp"
#include "trace/clock_model.hpp"
#include "trace/clock_sources.hpp"
#include "trace/salvage.hpp"
#include "trace/trace.hpp"

namespace ovni {

// Collective functions say so; their results are alike on all ranks, unless stated otherwise.
class Distribution {
 public:
    virtual ~Distribution() = default;

    const Ranks& ranks() const { return is_alone_ ? alone_ : team(); }
    // From now on this rank, rank 0, does all the work and takes no notice of the others. Local.
    void go_on_alone() { is_alone_ = true; }

    // Reads the files about clocks that are there besides the metadata of the trace. Collective; throws
    // Error.
    virtual ClockSources read_clock_sources() = 0;
    // The trace, or with --keep-going its good part. Collective; throws Error.
    virtual std::shared_ptr<const Trace> read_trace(const ClockSources& clocks,
                                                    std::vector<Damage>& damages) = 0;
    // Throws Error if a part is missing that only a distributed trace can lack. Local.
    virtual void check(const Trace&, const System&, const ClockModel&) const {}
    // The ranks that can read each stream. The distribution outlives it. Local.
    virtual Readers readers() const = 0;
    // True on the one rank that reads that stream, which is no thread's.
    virtual bool reads_stray(uint32_t stream) const = 0;

    // How many records a rank collects before the next step of all ranks. Tests use other sizes.
    size_t window_size() const;
    // A thread if the ranks of this node leave a core free for each writer. Tests choose the mode.
    Writer::Mode writer_mode() const;

 private:
    virtual const Ranks& team() const = 0;
    // The number of ranks that share the cores of this node. Collective.
    virtual int ranks_of_node() const = 0;

    const Ranks alone_;
    bool is_alone_ = false;
};

}  // namespace ovni
