// Event model `pthread`: what a thread waits for in POSIX threads and semaphores. Three stacks that are
// pushed and popped together: the wait, its object, and the thread that has the object.
// emu/hooks/pthread_hooks.cpp has the effects of its events.
#include "model/channel_numbers.hpp"
#include "model/well_formed.hpp"
#include "ovni/pthread_events.h"

namespace ovni {

namespace {

constexpr StateRule wait_states[] = {
    {"", "", 1, "Mutex: waiting"},
    {"", "", 2, "Read-write lock: waiting to read"},
    {"", "", 3, "Read-write lock: waiting to write"},
    {"", "", 4, "Spin lock: waiting"},
    {"", "", 5, "Barrier: waiting"},
    {"", "", 6, "Condition: waiting"},
    {"", "", 7, "Thread: joining"},
    {"", "", 8, "Semaphore: waiting"},
    {"", "", 9, "Once: waiting for the function"},
};

constexpr StateRule object_states[] = {
    {"", "", 1, "(any other object)"},
};

constexpr StateRule holder_states[] = {
    {"", "", 1, "(unknown)"},
};

// Objects get their labels as types of tasks do.
constexpr ChannelSpec channels[] = {
    {.name = "wait",
     .kind = ChannelKind::stack,
     .duplicates = Duplicates::allowed,
     .prv_type = 310,
     .tracking = Tracking::running,
     .title = "Wait in POSIX threads",
     .states = wait_states},
    {.name = "object",
     .kind = ChannelKind::stack,
     .duplicates = Duplicates::allowed,
     .prv_type = 311,
     .tracking = Tracking::running,
     .title = "Object that is waited for",
     .states = object_states,
     .labels = Labels::task_types},
    {.name = "holder",
     .kind = ChannelKind::stack,
     .duplicates = Duplicates::allowed,
     .prv_type = 312,
     .tracking = Tracking::running,
     .title = "TID of the thread that has it",
     .states = holder_states},
};
static_assert(channels[pthread_channel::wait].name == "wait" &&
              channels[pthread_channel::object].name == "object" &&
              channels[pthread_channel::holder].name == "holder");

constexpr std::string_view name_of_holder(uint64_t tid) {
    return tid == 0 ? "nobody known" : std::string_view();
}

// The errors that these functions return.
constexpr std::string_view name_of_error(uint64_t error) {
    struct Name {
        uint64_t error;
        std::string_view name;
    };
    constexpr auto serial_thread = static_cast<uint64_t>(-1);
    constexpr Name names[] = {{serial_thread, "PTHREAD_BARRIER_SERIAL_THREAD"},
                              {0, "done"},
                              {1, "EPERM"},
                              {3, "ESRCH"},
                              {4, "EINTR"},
                              {11, "EAGAIN"},
                              {12, "ENOMEM"},
                              {16, "EBUSY"},
                              {22, "EINVAL"},
                              {35, "EDEADLK"},
                              {75, "EOVERFLOW"},
                              {110, "ETIMEDOUT"},
                              {125, "ECANCELED"},
                              {130, "EOWNERDEAD"},
                              {131, "ENOTRECOVERABLE"}};
    for (const Name& name : names)
        if (name.error == error) return name.name;
    return {};
}

constexpr HookState opens(std::string_view opposite) {
    return {.kind = StateKind::push, .channel = pthread_channel::wait, .opposite = opposite, .kept = 8};
}
constexpr HookState closes{.kind = StateKind::pop, .channel = pthread_channel::wait};

constexpr EventSpec enter(std::string_view signature, std::string_view description,
                          std::string_view opposite) {
    return {.signature = signature,
            .description = description,
            .state = opens(opposite),
            .name_of = name_of_holder};
}
constexpr EventSpec leave(std::string_view signature, std::string_view description) {
    return {.signature = signature, .description = description, .state = closes, .name_of = name_of_error};
}
constexpr EventSpec define(std::string_view signature, std::string_view description) {
    return {.signature = signature, .description = description, .state = defines};
}
constexpr EventSpec instant(std::string_view signature, std::string_view description) {
    return {.signature = signature,
            .description = description,
            .action = Action::ignore,
            .name_of = name_of_error};
}

constexpr EventSpec events[] = {
    enter("HM[(u32 object, i32 holder)", "waits for mutex %{object}, held by %@{holder}", "HM]"),
    leave("HM](u32 object, i32 holder, i32 error)", "has waited for mutex %{object}: %@{error}"),
    enter("HR[(u32 object, i32 holder)", "waits to read-lock %{object}, held by %@{holder}", "HR]"),
    leave("HR](u32 object, i32 holder, i32 error)", "has waited to read-lock %{object}: %@{error}"),
    enter("HW[(u32 object, i32 holder)", "waits to write-lock %{object}, held by %@{holder}", "HW]"),
    leave("HW](u32 object, i32 holder, i32 error)", "has waited to write-lock %{object}: %@{error}"),
    enter("HP[(u32 object, i32 holder)", "waits for spin lock %{object}, held by %@{holder}", "HP]"),
    leave("HP](u32 object, i32 holder, i32 error)", "has waited for spin lock %{object}: %@{error}"),
    enter("HB[(u32 object, i32 holder)", "arrives at barrier %{object}", "HB]"),
    leave("HB](u32 object, i32 holder, i32 error)", "leaves barrier %{object}: %d{error}"),
    enter("HC[(u32 object, i32 holder)", "waits for condition %{object}", "HC]"),
    leave("HC](u32 object, i32 holder, i32 error)", "has waited for condition %{object}: %@{error}"),
    enter("HJ[(u32 object, i32 holder)", "joins thread object %{object}, tid %@{holder}", "HJ]"),
    leave("HJ](u32 object, i32 holder, i32 error)", "has joined thread object %{object}: %@{error}"),
    enter("HS[(u32 object, i32 holder)", "waits for semaphore %{object}", "HS]"),
    leave("HS](u32 object, i32 holder, i32 error)", "has waited for semaphore %{object}: %@{error}"),
    enter("HO[(u32 object, i32 holder)", "waits for once %{object}, run by %@{holder}", "HO]"),
    leave("HO](u32 object, i32 holder, i32 error)", "has waited for once %{object}: %@{error}"),
    define("HMd+(u32 object, u64 address, str name)", "mutex %{object} at %#llx{address} is %{name}"),
    define("HRd+(u32 object, u64 address, str name)",
           "read-write lock %{object} at %#llx{address} is %{name}"),
    define("HPd+(u32 object, u64 address, str name)", "spin lock %{object} at %#llx{address} is %{name}"),
    define("HBd+(u32 object, u64 address, str name)", "barrier %{object} at %#llx{address} is %{name}"),
    define("HCd+(u32 object, u64 address, str name)", "condition %{object} at %#llx{address} is %{name}"),
    define("HJd+(u32 object, u64 address, str name)",
           "thread object %{object} has handle %#llx{address}, name '%{name}'"),
    define("HSd+(u32 object, u64 address, str name)", "semaphore %{object} at %#llx{address} is %{name}"),
    define("HOd+(u32 object, u64 address, str name)", "once %{object} at %#llx{address} is %{name}"),
    {"HNp+(u32 object, str code)", "code that waits for object %{object}: %{code}", Action::ignore, defines},
    instant("HMa(u32 object, i32 error)", "locks mutex %{object} without waiting: %@{error}"),
    instant("HMt(u32 object, i32 error)", "tries mutex %{object}: %@{error}"),
    instant("HMu(u32 object, i32 error)", "unlocks mutex %{object}: %@{error}"),
    instant("HRa(u32 object, i32 error)", "read-locks %{object} without waiting: %@{error}"),
    instant("HRt(u32 object, i32 error)", "tries to read-lock %{object}: %@{error}"),
    instant("HRu(u32 object, i32 error)", "unlocks read-write lock %{object}: %@{error}"),
    instant("HWa(u32 object, i32 error)", "write-locks %{object} without waiting: %@{error}"),
    instant("HWt(u32 object, i32 error)", "tries to write-lock %{object}: %@{error}"),
    instant("HPa(u32 object, i32 error)", "locks spin lock %{object} without waiting: %@{error}"),
    instant("HPt(u32 object, i32 error)", "tries spin lock %{object}: %@{error}"),
    instant("HPu(u32 object, i32 error)", "unlocks spin lock %{object}: %@{error}"),
    instant("HCs(u32 object, i32 error)", "signals condition %{object}: %@{error}"),
    instant("HCb(u32 object, i32 error)", "broadcasts condition %{object}: %@{error}"),
    instant("HSa(u32 object, i32 error)", "takes semaphore %{object} without waiting: %@{error}"),
    instant("HSt(u32 object, i32 error)", "tries semaphore %{object}: %@{error}"),
    instant("HSp(u32 object, i32 error)", "posts semaphore %{object}: %@{error}"),
    instant("HJa(u32 object, i32 error)", "joins thread object %{object}, which has ended: %@{error}"),
    instant("HJt(u32 object, i32 error)", "tries to join thread object %{object}: %@{error}"),
    instant("HTc(u64 thread)", "has created the thread with handle %#llx{thread}"),
    instant("HTs(u64 thread)", "starts, as the thread with handle %#llx{thread}"),
    instant("HTe(u64 thread)", "calls pthread_exit"),
    instant("HTd(u64 thread)", "detaches the thread with handle %#llx{thread}"),
    instant("HTk(u64 thread)", "cancels the thread with handle %#llx{thread}"),
    instant("HTf", "goes on in the child of a fork"),
};

using Row = ViewSpec::Row;
using Colors = ViewSpec::Colors;
constexpr ViewSpec views[] = {
    {"pthread/wait.cfg", "Wait of the RUNNING thread in POSIX threads", 310, Row::thread},
    {"pthread/object.cfg", "Object that the RUNNING thread waits for", 311, Row::thread},
    {"pthread/holder.cfg", "Thread that has the object", 312, Row::thread},
    {"pthread/wait.cfg", "Wait of the RUNNING thread in POSIX threads", 310, Row::cpu},
    {"pthread/object.cfg", "Object that the RUNNING thread waits for", 311, Row::cpu},
};

}  // namespace

extern constinit const ModelSpec pthread_model = [] {
    constexpr ModelSpec model{.id = 'H',
                              .name = OVNI_PTHREAD_MODEL,
                              .version = OVNI_PTHREAD_VERSION,
                              .origin = Origin::ours,
                              .guard = Guard::none,
                              .linter_channel = pthread_channel::wait,
                              .channels = channels,
                              .events = events,
                              .views = views};
    static_assert(well_formed(model));
    return model;
}();

}  // namespace ovni
