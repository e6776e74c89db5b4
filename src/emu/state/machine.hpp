// The threads and CPUs that one emulator works on: state only, numbered locally. A rank has those of its own
// processes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "emu/plan/plan.hpp"
#include "emu/plan/share.hpp"
#include "emu/plan/system.hpp"
#include "emu/records/record.hpp"
#include "emu/state/channel.hpp"

namespace ovni {

enum class RunState : uint8_t { unknown = 0, running = 1, paused = 2, dead = 3, cooling = 4, warming = 5 };

inline constexpr std::string_view run_state_names[] = {"Unknown", "Running", "Paused",
                                                       "Dead",    "Cooling", "Warming"};

// Sets of states, as bits.
constexpr uint8_t state_bit(RunState state) {
    return static_cast<uint8_t>(1u << static_cast<unsigned>(state));
}
inline constexpr uint8_t running_states = state_bit(RunState::running);
inline constexpr uint8_t active_states =
    running_states | state_bit(RunState::cooling) | state_bit(RunState::warming);
inline constexpr uint8_t all_states = 0x3f;

constexpr uint8_t states_of(Tracking tracking) {
    constexpr uint8_t states[] = {all_states, running_states, active_states, 0};
    return states[static_cast<size_t>(tracking)];
}

inline constexpr uint32_t nobody = 0xffffffff;

enum class Traced : uint8_t { yes, no };

// A small number that decides what a thread may do or show: its state, whether it is out of CPU, and whether
// it is in a gap. A set of conditions is a mask of 32 bits, so a question is one bit test.
struct Condition {
    static constexpr unsigned out_of_cpu = 1u << 3, untraced = 1u << 4;
    static constexpr unsigned count = 32;

    static constexpr bool meets(uint32_t mask, unsigned condition) { return (mask >> condition & 1u) != 0; }
    // The conditions with one of `states`, and none of the flags in `without`.
    static constexpr uint32_t mask(uint8_t states, unsigned without) {
        uint32_t bits = 0;
        for (unsigned c = 0; c < count; ++c)
            if ((states >> (c & 7u) & 1u) != 0 && (c & without) == 0) bits |= 1u << c;
        return bits;
    }
};

// The value that a thread's row shows of a channel lies next to the channel, in one line of the cache.
struct Shown {
    enum class State : uint8_t { unset, nothing, number };
};
struct alignas(64) ThreadChannel : Channel {
    Shown::State shown = Shown::State::unset;
    int64_t shown_number = 0;
};
static_assert(sizeof(ThreadChannel) == 64);

struct alignas(64) Thread {
    ThreadChannel* channels = nullptr;  // as many as the plan has
    uint32_t row = 0;
    uint32_t running_on = Record::no_row;  // row of the CPU that shows this thread, as its only running one
    uint32_t active_on = Record::no_row;   // or as its only active one
    uint8_t condition = 0;
    bool had_gap = false;

    uint32_t process = 0;  // in System
    uint32_t loom = 0;     // in System
    int tid = 0;
    uint32_t cpu = nobody;  // in Machine

    // Bursts of OB. and the begin of a flush, for the messages about them.
    std::vector<int64_t> burst;
    int64_t flush_begin = 0;

    RunState state() const { return static_cast<RunState>(condition & 7u); }
    void set_state(RunState state) {
        condition = static_cast<uint8_t>((condition & ~7u) | static_cast<unsigned>(state));
    }
    void set_flag(unsigned flag, bool on) {
        condition = static_cast<uint8_t>(on ? condition | flag : condition & ~flag);
    }
    bool traced() const { return (condition & Condition::untraced) == 0; }
    bool meets(uint32_t mask) const { return Condition::meets(mask, condition); }
    bool in(uint8_t states) const { return (states & state_bit(state())) != 0; }
    // A thread inside a gap shows nothing and runs nowhere.
    bool shows(uint8_t states) const { return traced() && in(states); }
};

struct Cpu {
    uint32_t row = 0;
    uint32_t loom = 0;
    int index = 0;  // in the loom
    bool is_virtual = false;
    std::vector<uint32_t> threads;  // in Machine; in order of arrival

    // The threads that the row shows: the only running (active) one; too_many if a physical CPU has several.
    static constexpr uint32_t too_many = 0xfffffffe;
    uint32_t running = nobody;
    uint32_t active = nobody;
    bool running_changed = false, active_changed = false;  // by the event at hand
    int64_t shown_tid = 0, shown_pid = 0;
    int64_t shown_count = -1;

    // Oversubscription, for the report.
    int64_t crowded_since = 0, crowded_ns = 0;
    uint64_t crowded_times = 0;
};

class Machine {
 public:
    Machine(const System& system, const Plan& plan, const Share& mine);

    const System& system;
    std::vector<Thread> threads;
    std::vector<Cpu> cpus;

    // Position in `threads` of the thread of a stream; nobody for a stream that is no thread's, or another
    // emulator's.
    uint32_t thread_of_stream(uint32_t stream) const { return thread_of_stream_[stream]; }
    // True if a stream of the loom has had a gap, or was cut, up to now.
    bool has_lost_events(uint32_t loom) const { return lost_events_[loom]; }
    void note_lost_events(uint32_t loom) { lost_events_[loom] = true; }
    // The CPU of a loom by its index there (-1: the virtual one); nobody if there is none.
    uint32_t find_cpu(uint32_t loom, int index) const;
    // The thread with that tid in the process, else in the first process of its loom that has one, else
    // nobody.
    uint32_t find_thread(const Thread& from, int tid) const;

    ThreadChannel& channel(uint32_t thread, uint16_t channel) { return threads[thread].channels[channel]; }

 private:
    std::vector<ThreadChannel> channels_;
    std::vector<bool> lost_events_;  // by loom
    std::vector<uint32_t> thread_of_stream_, local_thread_, local_cpu_;
};

}  // namespace ovni
