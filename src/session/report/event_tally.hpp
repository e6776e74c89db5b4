// Counts of events for a report: how many of each model every process has, what its threads did in MPI, and
// what they waited for in POSIX threads.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emu/plan/plan.hpp"
#include "emu/plan/system.hpp"
#include "model/counter_sums.hpp"
#include "model/lock_sums.hpp"
#include "model/mpi_sums.hpp"
#include "model/region_sums.hpp"
#include "trace/event_view.hpp"

namespace ovni {

// Plain data, that ranks exchange.
struct EventCount {
    uint32_t process = 0;  // in System
    uint32_t model = 0;    // in Plan::models
    uint64_t count = 0;
};
struct MpiCount {
    uint32_t process = 0;
    uint32_t function = 0;  // in mpi_function_rows
    uint32_t site = 0;      // in Plan::call_sites, from 1; 0: unknown
    MpiSums sums;
};
// Time of a process between two calls of MPI.
struct ComputingCount {
    struct Call {
        uint32_t function = 0;  // in mpi_function_rows
        uint32_t site = 0;      // in Plan::call_sites, from 1; 0: unknown
        auto operator<=>(const Call&) const = default;
    };
    uint32_t process = 0;
    uint32_t padding = 0;
    Call from, to;
    uint64_t times = 0;
    WideSum ns;
};
// The counts of one function, region, construct or thread of a process.
struct CounterCount {
    static constexpr uint32_t no_function = UINT32_MAX;
    enum class By : uint32_t { function, region, construct, thread };
    struct What {
        By by = By::function;
        int64_t number = 0;       // in mpi_function_rows, the value of a region (0: in none), or the tid
        std::string kind, label;  // of a construct
        auto operator<=>(const What&) const = default;
    };
    uint32_t process = 0;
    What what;
    uint64_t ns = 0;
    std::vector<uint64_t> counts;  // by place in Plan::instants
};

struct RegionCount {
    uint32_t process = 0;
    int64_t region = 0;  // the value of its mark
    RegionSums sums;
};

struct LockCount {
    struct Holder {
        int tid = 0;  // 0: unknown
        uint64_t waits = 0, ns = 0;
    };
    uint32_t process = 0;
    std::string kind, label;
    uint64_t waits = 0, ns = 0, longest = 0;
    std::vector<Holder> holders;    // ascending
    std::vector<std::string> code;  // that waits for it, as CodeTexts has it
};
// Code that a label of OpenMP stands for.
struct LabelCode {
    std::string label, code;
    auto operator<=>(const LabelCode&) const = default;
};

// An event that was applied, or another item of its stream.
struct TalliedEvent {
    TalliedEvent(const EventView& event, int64_t when)
        : time(when),
          stream(event.stream),
          kind(event.kind),
          is_pause(event.gap && event.gap->is_pause()),
          code(event.code) {
        // Jumbo events describe objects, not calls: see define().
        const bool is_mark = code.model() == 'O' && code.category() == 'M';
        const bool has_sums = code.model() == 'M' || code.model() == 'C' || code.model() == 'H' ||
                              code.model() == 'P' || is_mark;
        if (kind == EventView::Kind::event && has_sums && !event.jumbo()) payload = event.payload();
    }
    TalliedEvent() = default;

    int64_t time = 0;  // of the trace
    uint32_t stream = 0;
    EventView::Kind kind = EventView::Kind::event;
    bool is_pause = false;  // of a gap
    EventCode code;
    std::span<const uint8_t> payload = {};  // of mpi, counters, pthread, openmp, and of marks
};

class EventTally {
 public:
    // Both live as long as this.
    EventTally(const System& system, const Plan& plan);

    // Counts the next event of its thread. No error may come before it.
    void count(const TalliedEvent& event) {
        Thread& thread = threads_[system_.thread_of_stream(event.stream)];
        if (event.kind != EventView::Kind::event) [[unlikely]]
            return count_other(thread, event);
        ++counts_[thread.counts + model_of_id_[static_cast<uint8_t>(event.code.model())]];
        if (thread.counters) [[unlikely]]
            thread.counters->take(event.code, event.payload, event.time);
        if (thread.mpi)
            thread.mpi->take(event.code, event.payload, event.time);
        else if (event.code.model() == 'M')
            begin_mpi(thread, event.stream).take(event.code, event.payload, event.time);
        if (event.code.model() == 'H') [[unlikely]]
            at_locks(thread).take(event.code, event.payload, event.time);
        if (event.code.model() == 'O' && event.code.category() == 'M') [[unlikely]]
            in_regions(thread).take(event.code, event.payload, event.time);
    }
    // Objects of POSIX threads and labels of OpenMP are known from here on, whether the event is final or
    // not.
    void define(const EventView& event) {
        if (event.kind != EventView::Kind::event || !event.jumbo()) [[likely]]
            return;
        Thread& thread = threads_[system_.thread_of_stream(event.stream)];
        const auto data = event.payload().subspan(OVNI_FORMAT_JUMBO_SIZE);
        if (event.code.model() == 'H') locks_of(thread.process).define(event.code, data);
        if (event.code.model() == 'P') define_label(thread, event.code, data);
        if (thread.counters) thread.counters->define(event.code, data);
    }
    // The trace ends there.
    void finish(int64_t duration);

    // Counts of the processes whose events were taken.
    std::vector<EventCount> events() const;
    std::vector<MpiCount> mpi() const;
    std::vector<ComputingCount> computing() const;
    std::vector<CounterCount> counters() const;
    std::vector<LockCount> locks() const;
    std::vector<RegionCount> regions() const;
    std::vector<LabelCode> label_code() const;

 private:
    struct Thread {
        uint32_t process = 0;
        size_t counts = 0;                           // where those of its process begin
        std::unique_ptr<ThreadInMpi> mpi;            // made when it is first seen there
        std::unique_ptr<ThreadInCounters> counters;  // of a stream that has some
        std::unique_ptr<ThreadAtLocks> locks;
        std::unique_ptr<ThreadInRegions> regions;
        std::map<uint32_t, std::string> labels;  // of OpenMP, by their numbers in the stream
    };
    void define_label(Thread& thread, EventCode code, std::span<const uint8_t> data);
    void follow_counters(size_t thread, const Plan& plan);
    void count_other(Thread& thread, const TalliedEvent& event);
    ThreadInMpi& begin_mpi(Thread& thread, uint32_t stream);
    ThreadAtLocks& at_locks(Thread& thread);
    ThreadInRegions& in_regions(Thread& thread);
    ProcessLocks& locks_of(uint32_t process);

    const System& system_;
    const CallSites& sites_;
    const size_t models_;
    std::array<uint8_t, 256> model_of_id_{};  // in Plan::models
    std::vector<uint64_t> counts_;            // by process, then model
    std::vector<Thread> threads_;
    std::vector<std::unique_ptr<ProcessInMpi>> processes_;
    std::vector<std::vector<uint16_t>> counter_numbers_;  // by thread, then by place: in Plan::instants
    std::vector<std::unique_ptr<ProcessCounters>> of_counters_;  // by process
    std::vector<std::unique_ptr<ProcessLocks>> locks_;
    std::map<uint32_t, RegionSumsByValue> regions_;  // by process
    std::map<std::string, CodeTexts> code_of_;       // by label
};

}  // namespace ovni
