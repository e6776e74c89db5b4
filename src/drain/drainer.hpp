// Drains a run directory: writes the rings of all its processes into their streams, pass after pass, and ends
// the streams of dead processes. One drainer works at a time; if it dies, another one continues.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/clock_discipline.hpp"
#include "drain/drained_stream.hpp"
#include "drain/mover.hpp"
#include "drain/stream_packer.hpp"
#include "ring/session.hpp"

namespace ovni::writer {

class Drainer final : private Mover::Rings {
 public:
    // `session` is valid and locked, and outlives the drainer.
    explicit Drainer(Session& session, EndedStreams ended = {})
        : session_(session),
          clock_(session.header().clock, DisciplineClocks(session.time_ahead())),
          last_service_(session.header().heartbeat.load()),
          ended_(std::move(ended)) {}
    // Hands the ended streams over to a successor. This drainer must not be used afterwards.
    EndedStreams let_go() { return std::move(ended_); }

    // Writes the published events. Returns how much of the ring that was filled most was filled since the
    // last pass, 0 to 1.
    double pass(Patience patience = Patience::usual);
    // Makes passes until `stop` is 1, or is_over(), called from time to time, returns true. Ring the doorbell
    // after setting `stop`.
    void serve(const std::atomic<uint32_t>& stop, bool (*is_over)() noexcept = nullptr);

    // Ends the streams of a dead process. `end` is known for the child of ovnirun.
    void finish_process(pid_t pid, const OwnerEnd& end);
    // Ends the streams of all dead processes. True if no ring is left.
    bool finish_dead();
    // Ends the streams of this process, which is about to end. True if no ring is left.
    bool finish_own();
    // Number of processes with open rings of which it is unknown whether they live.
    size_t doubtful() const;
    // Number of rings of dead owners with events that could not be written.
    size_t stuck() const;
    // Writes what waits, and stops serving the run directory: living processes drain for themselves.
    void resign() {
        pass(Patience::none);
        session_.header().ended.store(1, std::memory_order_release);
    }

 private:
    using Process = ProcessId;
    struct Owned {
        uint32_t number;
        std::unique_ptr<DrainedStream> stream;
    };

    struct Shared {
        uint32_t number;
        std::unique_ptr<Mover> mover;
    };

    void discover();
    bool adopt(uint32_t number);
    bool adopt_ring(uint32_t number);
    bool adopt_shared(uint32_t number);
    DrainedStream* find(uint32_t number) override;
    DrainedStream* reporter_of(const ProcessId& process) override;
    void make_room(DrainedStream& stream) override;
    Mover* mover_of(const RingHeader& ring);
    // Moves all records from the buffers whose threads are dead.
    using WhichOwner = std::function<bool(const SharedFileHeader&)>;
    void empty_shared(const WhichOwner& are_gone);
    // Removes the buffers of dead processes.
    void remove_shared(const WhichOwner& are_gone);
    std::vector<Owned*> closed_in_order();
    bool finish_closed();
    bool is_left_by_exec(const Owned& ring) const;
    void end(const Owned& ring, const OwnerEnd& end);
    uint64_t death_of(const Process& process) const;
    void finish_earlier_images();
    void remove(const Owned& ring);
    void remove_unfinished() const;

    Session& session_;
    ClockDiscipline<> clock_;
    uint64_t last_service_;  // last pass of the previous drainer, monotonic_clock()
    std::set<Process> seen_alive_;
    uint32_t known_ = 0;             // ring numbers below this one have been tried
    std::vector<uint32_t> missing_;  // those of them without a ring, so far
    std::vector<Owned> rings_;
    std::vector<Shared> shared_;
    bool has_new_rings_ = false;  // since images were last compared
    EndedStreams ended_;
    StreamPacker packer_;
    std::map<Process, std::shared_ptr<uint64_t>> written_;  // bytes by process
};

}  // namespace ovni::writer
