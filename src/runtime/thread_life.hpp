// The life of a thread by its OH events, and whether the program or the library emits them. A stream that the
// library has opened by itself (Owner::ours) begins with an OHx of the library. Its first bytes may change
// until the stream is placed, because only then the loom and the CPU are known. Changed under the stream's
// lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/own_ring.hpp"
#include "runtime/process.hpp"

namespace ovni::writer {

enum class Owner { program, ours };

class ThreadLife {
 public:
    enum class Phase { unborn, running, paused, dead };

    ThreadLife(OwnRing& own, Owner owner);

    Phase phase() const { return phase_; }
    void set_phase(Phase phase) { phase_ = phase; }
    // Any thread.
    bool is_closed() const { return closed_.load(std::memory_order_acquire); }
    void set_closed(bool closed) { closed_.store(closed, std::memory_order_release); }
    bool runs() const { return phase_ == Phase::running && !is_closed(); }
    bool lives() const { return phase_ == Phase::running || phase_ == Phase::paused; }

    bool is_ours() const { return owner_ == Owner::ours; }
    bool was_born_ours() const { return born_ == Owner::ours; }
    void leave_to_program() { owner_ = Owner::program; }

    // Writes the OHx of the library into an empty ring, at its head. `since`: when the thread began; 0: now.
    // Threads with rows may be bound to one CPU together.
    enum class Shares : uint8_t { no, maybe };
    void begin(const Facts& facts, uint64_t since, Shares shares);
    // Updates the CPUs of all lives so far to their present numbers in the loom. Call before the stream is
    // placed.
    void write_begin(const Facts& facts);
    // Writes the OHe of the life so far, at the clock `ended`, and the OHx of another thread, `next`, at
    // `begun`. The second OHe follows later. Needs room for both events.
    void begin_next(const Facts& facts, uint64_t ended, const ThreadLife& next, uint64_t begun);
    // True if the library wrote the OHx and has to write the OHe.
    bool owes_end() const { return owes_end_; }
    void set_owes_end(bool owes);
    // Leaves the OHe to the drainer, which writes it as noted in the ring's header when the stream is closed.
    void leave_end_to_drainer() { owes_end_ = false; }
    // True if the thread may use several CPUs, or shares its CPU: then the CPU of the OHx is a sample.
    bool is_sampled() const { return is_sampled_; }
    uint64_t beginning() const { return begin_clock_; }

    // The CPU of the thread by its events; -1: the virtual CPU. Any thread.
    int phyid() const { return phyid_.load(std::memory_order_relaxed); }
    void set_phyid(int phyid) { phyid_.store(phyid, std::memory_order_relaxed); }

 private:
    void append_begin(const Facts& facts, uint64_t clock, int phyid);

    OwnRing& own_;
    Phase phase_;
    Owner owner_;
    const Owner born_;
    std::atomic<bool> closed_{false};
    bool owes_end_ = false, is_sampled_ = false;
    uint64_t begin_clock_ = 0;
    int begin_phyid_ = -1;
    struct Beginning {
        uint64_t at;  // in the ring
        int phyid;
    };
    std::vector<Beginning> beginnings_;  // of lives, while their CPUs may get other numbers
    std::atomic<int> phyid_{-1};
};

}  // namespace ovni::writer
