// --keep-going: an emulation without outputs that finds the events which the models refuse. The stream of
// such an event ends in front of it, as if it had been torn there. Its loom is emulated anew, because a
// thread that ends earlier may change what others are allowed to do. This goes on until nothing is refused. A
// thread that its events leave alive is ended behind the last of them.
//
// A loom never needs another one, so the findings do not depend on which rank looks at which loom. With the
// exact order equal clocks are ordered by all streams, so there one cut means a new pass over all looms.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emu/emulator.hpp"
#include "emu/plan/plan.hpp"
#include "emu/plan/system.hpp"
#include "trace/clock_model.hpp"
#include "trace/merger.hpp"
#include "trace/salvage.hpp"

namespace ovni {

struct DryRunOptions {
    ClockSources clocks;
    EnabledModels enabled = EnabledModels::required;
    EventOrder order = EventOrder::canonical;  // or exact
    Regions regions = Regions::as_they_are;
};

// A stream, and how much of it is good.
struct Cut {
    uint32_t stream = 0;
    uint64_t end = 0;
    std::string cause;
};

// The results of a pass over some looms.
struct Findings {
    std::vector<Cut> cuts;
    std::vector<uint32_t> looms;  // that have to be emulated again
};

class DryRun {
 public:
    // `trace`: one that System and make_plan() accept; its streams are cut. Throws Error for a contradiction
    // between clocks. Streams that are no thread's lose their events.
    DryRun(Trace& trace, DryRunOptions options);

    const System& system() const { return system_; }
    // Corrected clocks, by stream; no_clock for streams of looms that are not `mine` and for streams without
    // events.
    std::vector<int64_t> first_clocks(const std::vector<bool>& mine) const;
    // `first_clocks`: of the streams of all looms. A damaged stream loses all its events if it begins more
    // than an hour from the first good one: its clocks come from the damage.
    void begin(const std::vector<int64_t>& first_clocks);

    bool is_done() const;
    // Finds what is refused first, or never ended, in every loom of `mine` that has to be emulated. If a loom
    // had many such events before, finds what is refused first in each of its streams.
    Findings pass(const std::vector<bool>& mine) const;
    // `findings`: of all looms.
    void apply(const Findings& findings);
    // Adds what was cut, and the ranks without streams, to `damages`.
    void finish(std::vector<Damage>& damages) const;

 private:
    class Pass {
     public:
        // `cuts`: those known from opening.
        Pass(const DryRun& run, const std::vector<bool>& mine, Merger merger, std::vector<Cut> cuts);
        Pass(const Pass&) = delete;
        Pass& operator=(const Pass&) = delete;
        void play();
        // After the last event.
        Findings findings();

     private:
        void end_the_living();
        void refuse(const EventView& event, const Error& error);
        void stop_at(const Error& damage);
        void end(uint32_t loom);

        const DryRun& run_;
        Merger merger_;
        Emulator emulator_;
        std::vector<Cut> cuts_;
        std::vector<uint32_t> again_;
        std::vector<bool> looms_;  // that are still emulated
        std::vector<bool> over_;   // by stream: its further events do not count
        bool is_stopped_ = false;
    };

    std::vector<StreamReader> open(const std::vector<bool>& mine, std::vector<Cut>& unreadable) const;
    bool has_many(uint32_t loom) const { return passes_[loom] >= passes_for_one; }
    uint32_t loom_of(uint32_t stream) const {
        return system_.threads()[system_.thread_of_stream(stream)].loom;
    }
    bool is_of(uint32_t stream, const std::vector<bool>& looms) const;
    std::vector<bool> pending(const std::vector<bool>& mine) const;
    uint64_t before_region(uint32_t stream, uint64_t offset) const;
    void cut(const Cut& cut);
    void end_all(uint32_t loom);

    // After `passes_for_one` refused events of a loom all that a pass finds counts, although later ones may
    // follow from earlier ones. After `most_passes` passes the loom loses all its events.
    static constexpr uint32_t passes_for_one = 8, most_passes = 32;

    Trace& trace_;
    DryRunOptions options_;
    System system_;
    ClockModel clocks_;
    Plan plan_;
    int64_t origin_ = 0;
    std::map<std::string, uint32_t> stream_of_;  // by directory
    std::vector<bool> pending_;                  // by loom
    std::vector<uint32_t> passes_;               // by loom: that found something
    std::map<std::string, Damage> damages_;      // by path
};

// Does all of this in one process.
void salvage_events(Trace& trace, const DryRunOptions& options, std::vector<Damage>& damages);

}  // namespace ovni
