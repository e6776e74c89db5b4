// The hooks of tasks in the models nosv, nanos6 and openmp: the tasks themselves are in tasks.hpp, here is
// what is shown of them.
#include <algorithm>
#include <cstring>
#include <span>

#include "emu/dispatch.hpp"
#include "emu/emulator.hpp"
#include "emu/hooks/payload.hpp"
#include "model/channel_numbers.hpp"

namespace ovni {

namespace {

void create_type(Emulator& emulator, uint32_t t, const EventView& event) {
    std::span<const uint8_t> data = jumbo_data(event);
    auto id = argument<uint32_t>(event, OVNI_FORMAT_JUMBO_SIZE);
    std::span<const uint8_t> label = data.subspan(sizeof id);
    auto end = std::ranges::find(label, uint8_t{0});
    if (end == label.end()) throw Error("the label of a task type has no end");
    emulator.tasks().create_type(
        t, event.code.model(), id,
        {reinterpret_cast<const char*>(label.data()), static_cast<size_t>(end - label.begin())},
        emulator.tracker().moment());
}

// Models differ in whether the payload may be longer, and in which ids may be 0.
enum class Size : uint8_t { at_least, exactly };
enum class Zero : uint8_t { legal, illegal };

template <uint8_t flags, Size size, Zero zero>
void create(Emulator& emulator, uint32_t t, const EventView& event) {
    constexpr size_t bytes = 2 * sizeof(uint32_t);
    if (size == Size::exactly) expect_payload(event, bytes);
    auto task = argument<uint32_t>(event, 0), type = argument<uint32_t>(event, sizeof task);
    if (zero == Zero::illegal && (task == 0 || type == 0)) throw Error("a task or type of id 0");
    emulator.tasks().create(t, event.code.model(), task, type, flags);
}

// The properties of its running body that a thread shows, one channel each.
enum class Source : uint8_t { body, task, type, application, rank };

struct Showing {
    uint8_t channel;  // of the model
    Source source;
};

struct TaskModel {
    char id;
    uint8_t subsystem;  // channel of the model
    int64_t in_body;    // its value while a body runs
    std::span<const Showing> shows;
};

constexpr Showing nosv_shows[] = {{nosv_channel::bodyid, Source::body},
                                  {nosv_channel::taskid, Source::task},
                                  {nosv_channel::task_type, Source::type},
                                  {nosv_channel::appid, Source::application},
                                  {nosv_channel::rank, Source::rank}};
constexpr Showing nanos6_shows[] = {{nanos6_channel::taskid, Source::task},
                                    {nanos6_channel::task_type, Source::type},
                                    {nanos6_channel::rank, Source::rank}};

constexpr TaskModel nosv{'V', nosv_channel::subsystem, 11, nosv_shows};
constexpr TaskModel nanos6{'6', nanos6_channel::subsystem, 1, nanos6_shows};

Value value_of(Source source, const RunningBody& body, const ProcessInfo& process) {
    switch (source) {
        case Source::body:
            return body.body;
        case Source::task:
            return body.task;
        case Source::type:
            return body.type;
        case Source::application:
            return process.app_id;
        case Source::rank:
            return *process.rank + int64_t{1};
    }
    return {};
}

void show_body(Emulator& emulator, uint32_t t, const TaskModel& model) {
    const Machine& machine = emulator.machine();
    const ProcessInfo& process = machine.system.processes()[machine.threads[t].process];
    std::optional<RunningBody> body = emulator.tasks().running(t, model.id);
    for (const Showing& showing : model.shows) {
        if (showing.source == Source::rank && !process.rank) continue;
        emulator.show(t, emulator.channel(model.id, showing.channel),
                      body ? value_of(showing.source, *body, process) : Value());
    }
}

constexpr char openmp_letter = 'P';

void step_body(Emulator& emulator, uint32_t t, char model, Tasks::Step step, uint32_t task, uint32_t body) {
    if (task == 0) throw Error("a task of id 0");
    Tasks::Outcome outcome = emulator.tasks().step(t, model, step, task, body);
    if (outcome == Tasks::Outcome::tolerated) emulator.note(Oddity::end_after_gap);
    // A task of OpenMP that waits may run others meanwhile.
    if (outcome == Tasks::Outcome::nested && model != openmp_letter) emulator.note(Oddity::nested_task);
}

template <const TaskModel& model, Tasks::Step step>
void run_body(Emulator& emulator, uint32_t t, const EventView& event) {
    auto task = argument<uint32_t>(event, 0);
    uint32_t body = model.id == nosv.id ? argument<uint32_t>(event, sizeof task) : 0;
    step_body(emulator, t, model.id, step, task, body);
    uint16_t subsystem = emulator.channel(model.id, model.subsystem);
    if (step == Tasks::Step::execute) emulator.change(t, subsystem, Action::push, model.in_body);
    if (step == Tasks::Step::end) emulator.change(t, subsystem, Action::pop, model.in_body);
    show_body(emulator, t, model);
}

void change_openmp(Emulator& emulator, uint32_t t, uint8_t channel, Action action, int64_t value) {
    emulator.change(t, emulator.channel(openmp_letter, channel), action, value);
}

template <Tasks::Step step>
void run_openmp_task(Emulator& emulator, uint32_t t, const EventView& event) {
    constexpr Action action = step == Tasks::Step::execute ? Action::push : Action::pop;
    auto task = argument<uint32_t>(event, 0);
    std::optional<RunningBody> before = emulator.tasks().running(t, openmp_letter);
    step_body(emulator, t, openmp_letter, step, task, 0);
    std::optional<RunningBody> shown =
        action == Action::push ? emulator.tasks().running(t, openmp_letter) : before;
    change_openmp(emulator, t, openmp_channel::task_id, action, task);
    if (shown && shown->type.is_set)
        change_openmp(emulator, t, openmp_channel::label, action, shown->type.number);
}

template <Action action>
void run_worksharing(Emulator& emulator, uint32_t t, const EventView& event) {
    auto type = argument<uint32_t>(event, 0);
    if (type == 0) throw Error("a worksharing of type 0");
    Value label = emulator.tasks().gid_of_type(t, openmp_letter, type);
    if (label.is_set) change_openmp(emulator, t, openmp_channel::label, action, label.number);
}

void old_task_creation(Emulator& emulator, uint32_t, const EventView&) {
    emulator.note(Oddity::old_event);
}

using namespace task_flag;
using Step = Tasks::Step;
constexpr Hook task_hook_table[] = {
    {"VYc", create_type},
    {"VTc", create<resurrect | pause, Size::at_least, Zero::legal>},
    {"VTC", create<parallel, Size::at_least, Zero::legal>},
    {"VTx", run_body<nosv, Step::execute>},
    {"VTe", run_body<nosv, Step::end>},
    {"VTp", run_body<nosv, Step::pause>},
    {"VTr", run_body<nosv, Step::resume>},
    {"6Yc", create_type},
    {"6Tc", create<pause | relax, Size::exactly, Zero::legal>},
    {"6TC", old_task_creation},
    {"6Tx", run_body<nanos6, Step::execute>},
    {"6Te", run_body<nanos6, Step::end>},
    {"6Tp", run_body<nanos6, Step::pause>},
    {"6Tr", run_body<nanos6, Step::resume>},
    {"POc", create_type},
    {"PPc", create<relax | resurrect, Size::exactly, Zero::illegal>},
    {"PPx", run_openmp_task<Step::execute>},
    {"PPe", run_openmp_task<Step::end>},
    {"PQx", run_worksharing<Action::push>},
    {"PQe", run_worksharing<Action::pop>},
};

}  // namespace

std::span<const Hook> task_hooks() {
    return task_hook_table;
}

}  // namespace ovni
