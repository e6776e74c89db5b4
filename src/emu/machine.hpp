// The threads and CPUs that one emulator works on: state only, numbered locally. A rank has those of its own
// looms.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "emu/channel.hpp"
#include "emu/plan.hpp"
#include "emu/system.hpp"

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
    return tracking == Tracking::any       ? all_states
           : tracking == Tracking::running ? running_states
                                           : active_states;
}

inline constexpr uint32_t nobody = 0xffffffff;

enum class Traced : uint8_t { yes, no };

struct Thread {
    uint32_t row = 0;
    uint32_t process = 0;  // in System
    uint32_t loom = 0;     // in System
    int tid = 0;
    uint32_t cpu = nobody;  // in Machine
    RunState state = RunState::unknown;
    Traced traced = Traced::yes;  // no: inside a gap
    bool out_of_cpu = false;
    bool had_gap = false;

    // Bursts of OB. and the begin of a flush, for the messages about them.
    std::vector<int64_t> burst;
    int64_t flush_begin = 0;

    bool in(uint8_t states) const { return (states & state_bit(state)) != 0; }
    // A thread inside a gap shows nothing and runs nowhere.
    bool shows(uint8_t states) const { return traced == Traced::yes && in(states); }
};

struct Cpu {
    uint32_t row = 0;
    uint32_t loom = 0;
    int index = 0;  // in the loom
    bool is_virtual = false;
    std::vector<uint32_t> threads;  // in Machine; in order of arrival

    // What the row shows: the only running (active) thread; too_many where a physical CPU has several.
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
    // `mine[l]`: does this emulator work on loom l of the system?
    Machine(const System& system, size_t channel_count, const std::vector<bool>& mine);

    const System& system;
    std::vector<Thread> threads;
    std::vector<Cpu> cpus;

    // Position in `threads` of a row; nobody for one of another emulator.
    uint32_t thread_at_row(uint32_t row) const {
        return row == System::no_thread ? nobody : local_thread_[row];
    }
    // The CPU of a loom by its index there (-1: the virtual one); nobody where there is none.
    uint32_t find_cpu(uint32_t loom, int index) const;
    // The thread with that tid in the process, else in the first process of its loom that has one; nobody.
    uint32_t find_thread(const Thread& from, int tid) const;

    Channel& channel(uint32_t thread, uint16_t channel) {
        return channels_[thread * channel_count_ + channel];
    }
    const Channel& channel(uint32_t thread, uint16_t channel) const {
        return channels_[thread * channel_count_ + channel];
    }

 private:
    size_t channel_count_;
    std::vector<Channel> channels_;
    std::vector<uint32_t> local_thread_;
    std::vector<uint32_t> first_cpu_;  // by loom; nobody for a loom of another emulator
};

}  // namespace ovni
