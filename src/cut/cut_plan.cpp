#include "cut/cut_plan.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "emu/plan/start.hpp"
#include "trace/merger.hpp"

namespace ovni {

namespace {

std::set<int> punctual_marks(const Trace& trace) {
    std::set<int> types;
    for (const Stream& stream : trace.streams())
        for (const MarkType& mark : *stream.metadata.common->marks)
            if (mark.kind == MarkKind::punctual) types.insert(mark.type);
    return types;
}

class Planner {
 public:
    Planner(const Trace& trace, const System& system, const ClockModel& clocks, const CutOptions& options);
    CutPlan run();

 private:
    // A stream, all along the trace.
    struct Course {
        bool is_chosen = false;
        ClockLine clock;
        ThreadShadow now, at_begin;
        uint64_t events = 0;                          // that the models keep
        uint64_t events_from = 0;                     // of which so many lie before the part
        int written_cpu = ThreadShadow::virtual_cpu;  // the one that the events of the new trace lead to
        int64_t last_raw = 0;
        std::optional<int64_t> first_border;  // clock of the first deltas of counters in the part
        std::set<int> visited;  // CPUs where no thread runs when the part begins, but has run before
    };

    std::vector<StreamReader> readers();
    void begin();
    void see(const EventView& event);
    void see_move_by_other(const EventView& event);
    void bring_to_cpu(const EventView& event);
    void see_deltas(const EventView& event);
    void insert_move(uint32_t stream, int64_t clock, uint64_t before);
    uint32_t stream_of(uint32_t emitter, int tid) const;
    void note_cpu(uint32_t stream);
    void visit_idle_cpus();
    void choose_kept();
    void settle(uint32_t stream);
    bool is_used(uint32_t stream, TaskName task) const {
        return used_[system_.process_of_stream(stream)].contains(task);
    }
    std::set<TaskName>& used_by(uint32_t stream) { return used_[system_.process_of_stream(stream)]; }

    const Trace& trace_;
    const System& system_;
    const ClockModel& clocks_;
    const CutOptions& options_;
    const std::set<int> punctual_;
    std::vector<Course> courses_;           // by stream
    std::vector<std::set<TaskName>> used_;  // by process: in the part, or open at its begin
    const bool shows_idle_cpus_;
    std::vector<std::set<int>> seen_cpus_;  // by loom: physical ones that a thread has run on
    bool has_begun_ = false;
    int64_t last_clock_ = 0;
    CutPlan plan_;
};

Planner::Planner(const Trace& trace, const System& system, const ClockModel& clocks,
                 const CutOptions& options)
    : trace_(trace),
      system_(system),
      clocks_(clocks),
      options_(options),
      punctual_(punctual_marks(trace)),
      courses_(trace.streams().size()),
      used_(system.processes().size()),
      shows_idle_cpus_(shows_idle_cpus(trace, options)),
      seen_cpus_(system.looms().size()) {
    std::vector<bool> chosen = chosen_streams(trace, system, options);
    for (size_t s = 0; s < courses_.size(); ++s) courses_[s].is_chosen = chosen[s];
    plan_.streams.resize(courses_.size());
}

// Readers of the looms of which something is kept; the origin of time is that of all looms.
std::vector<StreamReader> Planner::readers() {
    std::set<uint32_t> looms;
    for (const ThreadInfo& thread : system_.threads())
        if (courses_[thread.stream].is_chosen) looms.insert(thread.loom);
    std::vector<StreamReader> readers;
    std::vector<int64_t> first_clocks(courses_.size(), no_clock);
    for (uint32_t s = 0; s < courses_.size(); ++s) {
        StreamReader reader = open_stream(trace_, clocks_, s, options_.regions);
        first_clocks[s] = reader.first_clock().value_or(no_clock);
        courses_[s].clock = reader.clock();
        uint32_t thread = system_.thread_of_stream(s);
        if (thread != System::no_thread && looms.contains(system_.threads()[thread].loom))
            readers.push_back(std::move(reader));
    }
    plan_.origin = time_origin(trace_, first_clocks);
    return readers;
}

CutPlan Planner::run() {
    Merger merger(readers());
    auto clock_at = [&](int64_t time) {
        int64_t clock = 0;
        return __builtin_add_overflow(plan_.origin, time, &clock) ? INT64_MAX : clock;
    };
    const TimeSpan part = time_of(options_.focus, trace_, clocks_, plan_.origin);
    if (part.from) plan_.from = clock_at(*part.from);
    if (part.to) plan_.to = clock_at(*part.to);
    while (const EventView* event = merger.next()) {
        if (event->clock >= plan_.to) break;
        if (!has_begun_ && event->clock >= plan_.from) begin();
        last_clock_ = event->clock;
        see(*event);
    }
    if (!has_begun_) begin();
    choose_kept();
    for (uint32_t s = 0; s < courses_.size(); ++s)
        if (plan_.streams[s].is_kept) settle(s);
    if (std::ranges::none_of(plan_.streams, &StreamCut::is_kept))
        throw Error(
            fmt::format("nothing of the trace is in that part; its last event before --to is at {} ns",
                        last_clock_ - plan_.origin),
            trace_.directory());
    return std::move(plan_);
}

void Planner::begin() {
    has_begun_ = true;
    for (uint32_t s = 0; s < courses_.size(); ++s) {
        Course& course = courses_[s];
        if (!course.is_chosen) continue;
        course.at_begin = course.now;
        course.written_cpu = course.now.cpu();
        course.events_from = course.events;
        for (const TaskName& task : course.now.open_tasks()) used_by(s).insert(task);
    }
    if (shows_idle_cpus_) visit_idle_cpus();
}

void Planner::note_cpu(uint32_t s) {
    const ThreadShadow& thread = courses_[s].now;
    bool runs = thread.state() == RunState::running && thread.cpu() != ThreadShadow::virtual_cpu;
    if (runs) seen_cpus_[system_.threads()[system_.thread_of_stream(s)].loom].insert(thread.cpu());
}

// The first thread of a loom that lives visits the CPUs that wait for a thread.
void Planner::visit_idle_cpus() {
    for (const ThreadInfo& thread : system_.threads()) {
        const ThreadShadow& now = courses_[thread.stream].now;
        if (now.state() == RunState::running) seen_cpus_[thread.loom].erase(now.cpu());
    }
    for (uint32_t s = 0; s < courses_.size(); ++s)
        if (courses_[s].is_chosen && courses_[s].now.lives())
            courses_[s].visited =
                std::exchange(seen_cpus_[system_.threads()[system_.thread_of_stream(s)].loom], {});
}

void Planner::see(const EventView& event) {
    Course& course = courses_[event.stream];
    bool is_event = event.kind == EventView::Kind::event;
    if (is_event && !options_.keeps(event.code)) return;
    if (is_event && event.code == EventCode("OAr")) see_move_by_other(event);
    if (!course.is_chosen) return;
    if (has_begun_ && is_event) {
        if (event.code.model() == 'O' || event.code == EventCode("KCI")) bring_to_cpu(event);
        if (event.code.model() == 'C' && event.code.category() != 'R') see_deltas(event);
        if (auto task = task_of(event)) used_by(event.stream).insert(*task);
    }
    if (event.kind == EventView::Kind::cut) plan_.streams[event.stream].ends_inside = has_begun_;
    course.now.follow(event, punctual_,
                      has_begun_ ? ThreadShadow::Definitions::ignored : ThreadShadow::Definitions::kept);
    if (!is_event) return;
    if (event.code.model() == 'O') note_cpu(event.stream);
    course.last_raw = event.raw_clock();
    ++course.events;
}

// The first deltas behind the begin of the part count from before it, so they are left out.
void Planner::see_deltas(const EventView& event) {
    Course& course = courses_[event.stream];
    if (course.events_from == 0) return;
    if (!course.first_border) course.first_border = event.clock;
    if (*course.first_border == event.clock) plan_.streams[event.stream].dropped.insert(course.events);
}

// Finds the thread as the emulator does: in the process of the emitter, else in the first of the loom.
uint32_t Planner::stream_of(uint32_t emitter, int tid) const {
    const ThreadInfo& from = system_.threads()[system_.thread_of_stream(emitter)];
    const ThreadInfo* found = nullptr;
    for (const ThreadInfo& thread : system_.threads()) {
        if (thread.loom != from.loom || thread.tid != tid) continue;
        if (thread.process == from.process) return thread.stream;
        if (!found) found = &thread;
    }
    return found ? found->stream : System::no_thread;
}

void Planner::see_move_by_other(const EventView& event) {
    int32_t cpu = 0, tid = 0;
    if (event.payload().size() != sizeof cpu + sizeof tid) return;
    std::memcpy(&cpu, event.payload().data(), sizeof cpu);
    std::memcpy(&tid, event.payload().data() + sizeof cpu, sizeof tid);
    uint32_t stream = stream_of(event.stream, tid);
    bool is_there = stream != System::no_thread && courses_[stream].is_chosen && courses_[stream].now.lives();
    if (is_there) {
        courses_[stream].now.move_to(cpu);
        note_cpu(stream);
    }
    if (!has_begun_) return;
    const Course& emitter = courses_[event.stream];
    bool has_effect = is_there && courses_[stream].written_cpu != cpu;
    if (emitter.is_chosen && !has_effect) plan_.streams[event.stream].dropped.insert(emitter.events);
    if (!has_effect) return;
    // A thread that is paused, or that the kernel keeps from its CPU, moves when it goes on.
    const ThreadShadow& moved = courses_[stream].now;
    if (!emitter.is_chosen && (moved.state() == RunState::paused || moved.is_out_of_cpu())) return;
    if (!emitter.is_chosen) insert_move(stream, event.clock, courses_[stream].events);
    courses_[stream].written_cpu = cpu;
}

void Planner::insert_move(uint32_t stream, int64_t clock, uint64_t before) {
    const Course& course = courses_[stream];
    int cpu = course.now.cpu();
    append_event(plan_.streams[stream].inserted[before], "OAs",
                 std::max(course.clock.first_local(clock), course.last_raw),
                 {reinterpret_cast<const uint8_t*>(&cpu), sizeof cpu});
}

// A thread that another one, which is not kept, has moved while it was paused or out of its CPU.
void Planner::bring_to_cpu(const EventView& event) {
    Course& course = courses_[event.stream];
    bool is_elsewhere = course.written_cpu != course.now.cpu();
    if (is_elsewhere && event.code == EventCode("OHr")) {
        append_event(plan_.streams[event.stream].inserted[course.events], "OHw", event.raw_clock());
        insert_move(event.stream, event.clock, course.events);
    }
    const bool is_back = event.code == EventCode("KCI") && course.now.state() != RunState::paused;
    if (is_elsewhere && (is_back || event.code == EventCode("OHw")))
        insert_move(event.stream, event.clock, course.events + 1);
    bool moves = event.code == EventCode("OHx") || event.code == EventCode("OAs");
    if (moves && event.payload().size() >= sizeof course.written_cpu)
        std::memcpy(&course.written_cpu, event.payload().data(), sizeof course.written_cpu);
    else if (is_elsewhere && (is_back || event.code == EventCode("OHr") || event.code == EventCode("OHw")))
        course.written_cpu = course.now.cpu();
}

// Threads that are there, and of their processes those that have defined something before.
void Planner::choose_kept() {
    std::set<uint32_t> processes;
    for (const ThreadInfo& thread : system_.threads()) {
        const Course& course = courses_[thread.stream];
        bool is_there = course.events > course.events_from || course.at_begin.lives();
        if (!course.is_chosen || !is_there) continue;
        plan_.streams[thread.stream].is_kept = true;
        processes.insert(thread.process);
    }
    for (const ThreadInfo& thread : system_.threads()) {
        const Course& course = courses_[thread.stream];
        if (!course.is_chosen || !processes.contains(thread.process)) continue;
        auto used = [&](TaskName task) { return is_used(thread.stream, task); };
        bool defines =
            course.at_begin.has_definitions() || std::ranges::any_of(course.at_begin.created_tasks(), used);
        plan_.streams[thread.stream].is_kept |= defines;
    }
}

// Before the part every kept thread is brought to where it is, behind the part it ends.
void Planner::settle(uint32_t s) {
    const Course& course = courses_[s];
    StreamCut& cut = plan_.streams[s];
    auto used = [&](TaskName task) { return is_used(s, task); };
    auto raw_before = [&](int64_t ns) {
        return course.clock.first_local(std::max<int64_t>(plan_.from - ns, 0));
    };
    if (plan_.from != INT64_MIN) {
        cut.raw_from = course.clock.first_local(plan_.from);
        cut.gap = course.at_begin.open(cut.opening, {raw_before(3), raw_before(2), raw_before(1)},
                                       course.visited, used);
    }
    if (plan_.to == INT64_MAX) return;
    cut.raw_to = course.clock.first_local(plan_.to);
    if (!cut.ends_inside) course.now.close(cut.closing, cut.raw_to);
}

}  // namespace

CutPlan plan_cut(const Trace& trace, const System& system, const ClockModel& clocks,
                 const CutOptions& options) {
    return Planner(trace, system, clocks, options).run();
}

}  // namespace ovni
