// The chain engine: sites report hits, and events fire. Its tables are made once from a plan; afterwards
// nothing allocates, locks or waits, so any thread may report at any time, even in signal handlers.
//
// The state of an alarm is one word: epoch, armed, count. An alarm that is global, or for one thread, has no
// other word. Other alarms have one more word per thread. The alarm's own word shows whether it is armed for
// all threads. A thread's word is valid as long as its epoch equals the alarm's. So one compare-and-swap arms
// or disarms all threads, including later ones.
//
// The hit of one alarm is atomic. A hit that concerns several alarms is one atomic step for each, in the
// order of chains and alarms. Events fire in that order. The next alarms are armed after the last step, so a
// site cannot hit an alarm that it has just armed. Steps of other threads, or of a signal handler, may come
// in between. Exactly one thread fires for each arming of a broadcast or global alarm.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/probing.hpp"
#include "region/alarm.hpp"
#include "region/plan.hpp"

namespace ovni::region {

inline constexpr uint32_t all_threads = std::numeric_limits<uint32_t>::max();
inline constexpr uint16_t no_alarm = std::numeric_limits<uint16_t>::max();  // fired without an alarm

struct Firing {
    Event event;
    uint32_t thread;    // number of the thread that fires
    bool is_broadcast;  // the event is for all threads
    uint16_t alarm;     // in the order of chains and alarms, or no_alarm
};

// Called in the reporting thread, possibly inside a signal handler. Either may be null.
struct Hooks {
    void* context = nullptr;
    void (*fired)(void* context, const Firing& firing) noexcept = nullptr;
    // Called when an alarm is armed in `thread`, which may be all_threads: a back end starts its timer, or
    // sets its sites.
    void (*armed)(void* context, uint16_t alarm, uint32_t thread) noexcept = nullptr;
};

// The engine's handle of a thread. Each thread keeps its copy.
struct Thread {
    static constexpr uint32_t no_slot = std::numeric_limits<uint32_t>::max();
    uint32_t number = 0;
    uint32_t slot = no_slot;
};

class Engine {
 public:
    struct Settings {
        uint32_t threads = 1024;  // slots for threads that live at the same time
        DefaultStart default_start = DefaultStart::on;
        Hooks hooks;
    };

    // Copies the plan's data, and arms the first alarms for all threads.
    Engine(const Plan& plan, const Settings& settings) noexcept;

    // Called when a thread is created, so numbers follow the order of creation; the main thread is 0.
    uint32_t next_thread_number() noexcept { return next_number_.fetch_add(1, std::memory_order_relaxed); }

    // Gives a thread its slot, and fires the default start. If no slot is free, the thread has none: then
    // only alarms that are global, or for it alone, count its hits.
    Thread attach(uint32_t number) noexcept;
    // Frees the slot for another thread.
    void detach(Thread thread) noexcept;
    // Call in a fork's child, which has only this thread, or no attached one.
    void start_over_in_child(Thread only) noexcept;
    uint64_t threads_without_slot() const noexcept {
        return threads_without_slot_.load(std::memory_order_relaxed);
    }

    // True if a chain may ever wait for such a hit. Costs two loads.
    bool is_awaited(AlarmKind kind, uint64_t value = 0) const noexcept {
        return (awaited_[static_cast<size_t>(kind)] >> bucket(value) & 1) != 0;
    }
    // True if an alarm of this kind is armed in this thread. For sites whose value is expensive to find.
    bool is_armed(Thread thread, AlarmKind kind) const noexcept;
    bool is_armed(Thread thread, uint16_t alarm) const noexcept;
    // True if the alarm is armed in an attached thread.
    bool is_armed_somewhere(uint16_t alarm) const noexcept;
    // True if the alarm would be armed in a thread that is attached now.
    bool is_armed_for_new_threads(uint16_t alarm) const noexcept;

    // A site is hit. `detail`: level of MPI_Pcontrol, subleaf of cpuid, ns of a call.
    void hit(Thread thread, AlarmKind kind, uint64_t value = 0, int64_t detail = 0) noexcept {
        if (is_awaited(kind, value)) report(thread, kind, value, {}, detail);
    }
    void hit(Thread thread, AlarmKind kind, std::string_view text, int64_t detail = 0) noexcept {
        uint64_t value = hash_of(text);
        if (is_awaited(kind, value)) report(thread, kind, value, text, detail);
    }
    // A site is hit. `alarms`: the site's alarms, as the back end knows them, in ascending order.
    void hit(Thread thread, std::span<const uint16_t> alarms) noexcept;

    // Counts such a hit if it fires nothing; else does nothing. Uses only general registers.
    enum class Quiet : uint8_t { counted, idle, may_fire };  // idle: no alarm is armed in this thread
    Quiet count_quietly(Thread thread, std::span<const uint16_t> alarms) noexcept;

    // `count` instructions were executed. An alarm fires after its last one, and the next alarm counts from
    // the following instruction on.
    void instructions(Thread thread, uint64_t count) noexcept;
    // A block of `count` instructions is about to be executed. Alarms that are reached within it fire now, at
    // its beginning; alarms that are armed by that count this block, too.
    void block(Thread thread, uint64_t count) noexcept;
    // The number of instructions that this thread may execute before one of its alarms can fire;
    // largest_target or more if no alarm counts. For global alarms other threads can reduce it.
    uint64_t instructions_until_next(Thread thread) const noexcept;
    // True if the next instruction is the first of a sample, and no other count ends with it.
    bool begins_sample(Thread thread) const noexcept;
    // For threads that report executed instructions later: call these two in turn. If another thread arms an
    // alarm in between, that counts from the next settle() on; a global alarm counts all.
    uint64_t begin_count(Thread thread) noexcept;  // returns instructions_until_next()
    void settle(Thread thread, uint64_t count) noexcept;
    // True if alarms may count hits of several threads together, or if one thread may end another's count.
    bool shares_counts() const noexcept;

 private:
    using Word = std::atomic<uint64_t>;
    enum class Armed : uint8_t { as_all, off, on };
    enum class Reach : uint8_t { own_thread, all };
    enum class Count : uint8_t { exact, blocks };

    // The engine's data of an alarm.
    struct Rule {
        uint64_t value;
        uint64_t target;
        std::string text;
        int64_t detail;
        Sampling sampling;
        uint32_t thread;  // or all_threads
        uint16_t chain;
        AlarmKind kind;
        Event event;
        DetailRule detail_rule;
        bool is_broadcast;
        bool is_global;
        bool is_last;

        // True if the alarm's own word is its whole state.
        bool is_single() const noexcept { return is_global || thread != all_threads; }
    };
    struct ChainRule {
        uint16_t first;
        uint64_t repeat;
        std::vector<uint16_t> waiters;
    };
    // An alarm to arm at the end of a hit.
    struct Next {
        uint16_t alarm;
        Reach reach;
    };
    struct Pending {
        std::array<Next, 2 * most_alarms> next;
        size_t size = 0;
        void add(uint16_t alarm, Reach reach) noexcept { next[size++] = {alarm, reach}; }
    };

    static constexpr uint64_t bucket(uint64_t value) noexcept { return golden_hash(value, 6); }
    static bool allows(const Rule& rule, int64_t detail) noexcept;

    void lay_out(const Plan& plan) noexcept;
    void report(Thread thread, AlarmKind kind, uint64_t value, std::string_view text,
                int64_t detail) noexcept;
    bool is_of(const Rule& rule, Thread thread) const noexcept;
    Word* word_of(uint16_t alarm, Thread thread) noexcept;
    const Word* word_of(uint16_t alarm, Thread thread) const noexcept;

    bool count_hit(uint16_t alarm, Thread thread, uint64_t hits) noexcept;
    bool count_alone(uint16_t alarm, uint64_t hits, uint64_t target) noexcept;
    bool count_in_thread(uint16_t alarm, Word& own, uint64_t hits, uint64_t target) noexcept;
    bool count_below_target(uint16_t alarm, Thread thread) noexcept;
    void count_silently(uint16_t alarm, Thread thread, uint64_t hits) noexcept;
    uint64_t count_so_far(uint16_t alarm, Thread thread) const noexcept;
    uint64_t target_of(uint16_t alarm) const noexcept;

    void fire(uint16_t alarm, Thread thread, Pending& pending) noexcept;
    bool next_sample(uint16_t alarm, Event& event) noexcept;
    bool has_sample_begun(uint16_t alarm) const noexcept;
    void end_chain(const Rule& rule, Thread thread, Pending& pending) noexcept;
    void arm(const Pending& pending, Thread thread) noexcept;
    void arm(uint16_t alarm, Reach reach, Thread thread) noexcept;
    void arm_all(uint16_t alarm) noexcept;
    bool change_epoch(uint16_t alarm, uint64_t& expected, Armed armed) noexcept;
    void forget_old_epochs(uint16_t alarm, uint64_t epoch) noexcept;
    // Alarms that do not count these instructions.
    using Skipped = std::bitset<most_alarms>;
    void step(Thread thread, uint64_t count, Count how, Skipped& skipped) noexcept;
    void instructions(Thread thread, uint64_t count, Skipped& skipped) noexcept;
    uint64_t instructions_until_next(Thread thread, const Skipped& skipped) const noexcept;
    void begin_count(Thread thread, uint16_t alarm) noexcept;
    void put_off_count(Thread thread, uint16_t alarm) noexcept;
    Word* seen_epoch(Thread thread, uint16_t alarm) noexcept;
    uint32_t take_slot() noexcept;

    std::array<uint64_t, kind_count> awaited_{};  // buckets of the values
    Hooks hooks_;
    bool fires_default_start_;
    std::vector<Rule> rules_;
    std::vector<ChainRule> chains_;
    std::array<std::vector<uint16_t>, kind_count> of_kind_;
    std::vector<uint16_t> counters_;  // all alarms that count instructions

    std::vector<Word> alarm_words_;
    std::vector<Word> phases_;      // of a uniform alarm: starts and stops so far
    std::vector<Word> chain_runs_;  // of chains that end for all threads at once
    uint32_t slots_;
    size_t stride_ = 0;  // words of a slot: of its alarms, runs of its chains, epochs of begin_count()
    std::vector<Word> thread_words_;
    std::vector<Word> taken_slots_;  // a bit each
    std::atomic<uint32_t> next_number_{0};
    std::atomic<uint64_t> threads_without_slot_{0};
};

}  // namespace ovni::region
