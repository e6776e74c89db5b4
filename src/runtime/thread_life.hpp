// The life of a thread as its OH events tell it, and who tells it. A stream that the library has opened by
// itself (Owner::ours) begins with an OHx of the library: its first bytes may change until the stream is
// placed, as only then it is known which CPU of which loom that is. Changed under the stream's lock.
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
    // The CPUs of all lives so far, by their numbers in the loom as these are known now. Call before the
    // stream is placed.
    void write_begin(const Facts& facts);
    // Another thread of ours follows, as `next` knows it: OHe for the life so far, at the clock `ended`, and
    // an OHx at `begun`, whose OHe is still to come. Needs room for both.
    void begin_next(const Facts& facts, uint64_t ended, const ThreadLife& next, uint64_t begun);
    // True if the OHx is the library's and the OHe is still to come.
    bool owes_end() const { return owes_end_; }
    void set_owes_end(bool owes);
    // The header keeps its word: the drainer writes the OHe of a stream that is closed.
    void leave_end_to_drainer() { owes_end_ = false; }
    // The CPU of the beginning is one of several that the thread may use, or one that others may use, too.
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
