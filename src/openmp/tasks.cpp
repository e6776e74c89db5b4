// Explicit tasks, as an OMPT runtime reports them.
#include "openmp/runtime_code.hpp"
#include "openmp/task_word.hpp"
#include "openmp/thread.hpp"
#include "openmp/tool.hpp"

namespace ovni::openmp {

namespace {

void task_create(ompt::Data*, const void*, ompt::Data* task, int flags, int, const void* address) {
    Report report;
    if (!task || (static_cast<uint32_t>(flags) & ompt::task::explicit_) == 0) return;
    if (is_runtime_code(address)) address = report ? report->address_of_taskloop() : nullptr;
    TaskWord word{next_task(), place_of(address, Construct::task)};
    word.keep_in(task);
    if (report) report->record_task_creation(word.number, word.place);
}

bool is_over(int status) {
    return status == ompt::task_status::complete || status == ompt::task_status::cancel ||
           status == ompt::task_status::detach;
}

// The thread stops running `before`, and begins or goes on with `after`. A task that waits inside of
// another's wait lies below it in the stack of the thread. An untied task may go on in another thread without
// a word here: what lies above `before` is such a task.
void task_schedule(ompt::Data* before, int status, ompt::Data* after) {
    Report report;
    bool is_switch = status != ompt::task_status::early_fulfill &&
                     status != ompt::task_status::late_fulfill &&
                     status != ompt::task_status::taskwait_complete;
    if (!report || !is_switch) return;
    const uint64_t number = TaskWord::in(before).number;
    if (number != 0 && is_over(status))
        report->leave(Family::task, number);
    else if (number != 0)
        report->return_to(Family::task, number);
    TaskWord word = TaskWord::in(after);
    if (!after || word.number == 0 || report->return_to(Family::task, word.number)) return;
    report->record_cpu();
    report->enter({.state = State::task,
                   .key = word.number,
                   .place = word.place,
                   .number = word.has_run ? next_task() : word.number});
    word.has_run = true;
    word.keep_in(after);
}

void task_dependence(ompt::Data* first, ompt::Data* second) {
    Report report;
    const uint32_t source = TaskWord::in(first).number, sink = TaskWord::in(second).number;
    if (report && source != 0 && sink != 0) report->record_dependence(source, sink);
}

void cancel(ompt::Data*, int flags, const void*) {
    if (Report report; report) report->record_cancellation(static_cast<uint32_t>(flags));
}

}  // namespace

std::span<const Callback> task_callbacks() noexcept {
    static const Callback callbacks[] = {
        callback_of(ompt::callback::task_create, task_create),
        callback_of(ompt::callback::task_schedule, task_schedule),
        callback_of(ompt::callback::task_dependence, task_dependence),
        callback_of(ompt::callback::cancel, cancel),
    };
    return callbacks;
}

}  // namespace ovni::openmp
