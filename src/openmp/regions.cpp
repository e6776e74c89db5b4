// Threads, parallel regions and what is shared out in them, as an OMPT runtime reports them.
#include <atomic>

#include "openmp/runtime_code.hpp"
#include "openmp/task_word.hpp"
#include "openmp/thread.hpp"
#include "openmp/tool.hpp"

namespace ovni::openmp {

namespace {

std::atomic<const Runtime*> ompt_runtime{nullptr};

// A region keeps with itself its number and its place.
struct RegionWord {
    uint32_t number = 0;
    CodePlace place = 0;

    static RegionWord in(const ompt::Data* data) noexcept {
        if (!data) return {};
        return {static_cast<uint32_t>(data->value >> 32), static_cast<CodePlace>(data->value)};
    }
    void keep_in(ompt::Data* data) const noexcept { data->value = uint64_t{number} << 32 | place; }
};

void thread_begin(int type, ompt::Data*) {
    if (Report report; report && type == ompt::thread::worker) report->enter({.state = State::worker_loop});
}

void thread_end(ompt::Data*) {
    if (Report report; report) report->leave_all();
}

void parallel_begin(ompt::Data*, const void*, ompt::Data* region, unsigned, int, const void* address) {
    Report report;
    RegionWord word{next_region(), place_of(address, Construct::region)};
    if (region) word.keep_in(region);
    if (report) report->enter({.state = State::fork, .key = word.number, .place = word.place});
}

void parallel_end(ompt::Data* region, ompt::Data*, int, const void*) {
    if (Report report; report) report->leave(Family::fork, RegionWord::in(region).number);
}

// `region` may be null at the end. A team that the program's first task stands for is none.
void implicit_task(int endpoint, ompt::Data* region, ompt::Data* task, unsigned threads, unsigned thread,
                   int flags) {
    Report report;
    if (!task || (static_cast<uint32_t>(flags) & ompt::task::initial) != 0) return;
    if (endpoint == ompt::endpoint::end) {
        if (!report) return;
        if (thread == 0) report->note_region_end();
        report->end_with_region();
        return report->leave(Family::task, TaskWord::in(task).number);
    }
    TaskWord word{next_task(), 0};
    word.keep_in(task);
    if (!report) return;
    RegionWord of_region = RegionWord::in(region);
    report->record_cpu();
    report->enter({.state = State::part_of_region,
                   .key = word.number,
                   .place = of_region.place,
                   .number = of_region.number,
                   .threads = threads,
                   .thread = thread,
                   .runtime = ompt_runtime.load(std::memory_order_relaxed)});
}

struct WorkRow {
    int kind;
    State state;
    Construct construct;
};

constexpr WorkRow work_rows[] = {
    {ompt::work::loop, State::work_loop, Construct::loop},
    {ompt::work::loop_static, State::work_static, Construct::loop},
    {ompt::work::loop_dynamic, State::work_dynamic, Construct::loop},
    {ompt::work::loop_guided, State::work_dynamic, Construct::loop},
    {ompt::work::loop_other, State::work_loop, Construct::loop},
    {ompt::work::sections, State::work_sections, Construct::sections},
    {ompt::work::single_executor, State::work_single, Construct::single},
    {ompt::work::workshare, State::work_workshare, Construct::workshare},
    {ompt::work::distribute, State::work_distribute, Construct::distribute},
    {ompt::work::taskloop, State::work_taskloop, Construct::taskloop},
    {ompt::work::scope, State::work_scope, Construct::scope},
};

// Those that do not get the work of a single report it, too.
void work(int kind, int endpoint, ompt::Data*, ompt::Data*, uint64_t, const void* address) {
    Report report;
    if (!report) return;
    for (const WorkRow& row : work_rows) {
        if (row.kind != kind) continue;
        const auto key = static_cast<uint64_t>(row.construct);
        if (endpoint != ompt::endpoint::end && is_runtime_code(address)) address = caller_of_runtime();
        if (endpoint != ompt::endpoint::end)
            report->enter({.state = row.state, .key = key, .place = place_of(address, row.construct)});
        if (endpoint != ompt::endpoint::begin) report->leave(Family::work, key);
    }
}

void masked(int endpoint, ompt::Data*, ompt::Data*, const void*) {
    Report report;
    if (!report) return;
    if (endpoint != ompt::endpoint::end) report->enter({.state = State::masked});
    if (endpoint != ompt::endpoint::begin) report->leave(Family::masked, 0);
}

void dispatch(ompt::Data*, ompt::Data*, int kind, ompt::Data instance) {
    Report report;
    if (!report) return;
    const auto* chunk = static_cast<const ompt::DispatchChunk*>(instance.pointer);
    if (kind == ompt::dispatch::iteration) return report->record_chunk(instance.value, 1);
    if (kind >= ompt::dispatch::ws_loop_chunk && chunk) report->record_chunk(chunk->start, chunk->iterations);
}

}  // namespace

void set_ompt_runtime(const Runtime* runtime) noexcept {
    ompt_runtime.store(runtime, std::memory_order_relaxed);
}

std::span<const Callback> region_callbacks() noexcept {
    static const Callback callbacks[] = {
        callback_of(ompt::callback::thread_begin, thread_begin),
        callback_of(ompt::callback::thread_end, thread_end),
        callback_of(ompt::callback::parallel_begin, parallel_begin),
        callback_of(ompt::callback::parallel_end, parallel_end),
        callback_of(ompt::callback::implicit_task, implicit_task),
        callback_of(ompt::callback::work, work),
        callback_of(ompt::callback::masked, masked),
        callback_of(ompt::callback::dispatch, dispatch),
    };
    return callbacks;
}

}  // namespace ovni::openmp
