// Threads come and go: their numbers, their places in the engine, and their state after a fork.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "region/controller.hpp"
#include "region/recorder.hpp"

namespace ovni::region {

namespace {

pthread_key_t at_thread_end;

// Destructors of other keys may still hit sites; the value points to their next round.
constexpr int ending_round = PTHREAD_DESTRUCTOR_ITERATIONS - 2;
constexpr char rounds[ending_round + 1] = {};

void end_thread(void* mark) {
    const char* round = static_cast<char*>(mark);
    if (round < rounds + ending_round)
        pthread_setspecific(at_thread_end, round + 1);
    else
        controller().detach();
}

[[gnu::constructor]] void make_key() {
    pthread_key_create(&at_thread_end, end_thread);
}

}  // namespace

uint32_t RegionController::own_number() noexcept {
    OwnThread& own = own_thread;
    if (!own.is_numbered) {
        own.thread.number = syscall(SYS_gettid) == getpid() ? 0 : numbers_.next();
        own.is_numbered = true;
    }
    return own.thread.number;
}

// False if the thread cannot be attached now.
bool RegionController::attach() noexcept {
    OwnThread& own = own_thread;
    if (own.phase == Phase::attached) return true;
    if (own.phase != Phase::fresh || writer::is_inside()) return false;
    writer::SlowPath slow;
    attach_here();
    return true;
}

// Questions may come before a new thread has reported its number, as in a signal handler.
bool RegionController::attach_if_started() noexcept {
    const OwnThread& own = own_thread;
    const bool has_number = own.phase != Phase::fresh || own.is_numbered || syscall(SYS_gettid) == getpid();
    return (has_number || !numbers_.are_taken()) && attach();
}

void RegionController::attach_here() noexcept {
    OwnThread& own = own_thread;
    const FiringAt not_where_the_next_fires;
    own.phase = Phase::attaching;
    own.thread = running()->engine().attach(own_number());
    threads_.add(own.thread, recorder::own_stream());
    pass_what_is_due();
    own.phase = Phase::attached;
    if (own.thread.number == 0) is_main_attached_.store(true, std::memory_order_release);
    running()->thread_begins(own.thread);
    pthread_setspecific(at_thread_end, rounds);
    if (running()->needs_service()) start_service();
}

// Passes deadlines that came before this thread began, and a request of ovnictl that waits.
void RegionController::pass_what_is_due() noexcept {
    Engine& engine = running()->engine();
    for (uint16_t alarm = 0; alarm < running()->alarm_count(); ++alarm) {
        AlarmFacts& facts = running()->facts(alarm);
        bool is_due = facts.kind == AlarmKind::timeout && facts.is_due.load(std::memory_order_relaxed);
        bool is_wanted =
            facts.kind == AlarmKind::interactive && running()->is_latched.load(std::memory_order_relaxed);
        if ((!is_due && !is_wanted) || !engine.is_armed(own_thread.thread, alarm)) continue;
        if (is_wanted && !running()->is_latched.exchange(false)) continue;
        engine.hit(own_thread.thread, {&alarm, 1});
    }
}

void RegionController::thread_starts(uint32_t number) noexcept {
    if (own_thread.phase != Phase::fresh || writer::is_inside()) return;
    own_thread.thread.number = number;
    own_thread.is_numbered = true;
    begin_here();
    if (running() != nullptr) attach();
}

void RegionController::thread_begins() noexcept {
    if (running() == nullptr) return;
    // After a fork there is no service.
    if (running()->needs_service()) start_service();
    if (own_thread.phase == Phase::fresh)
        attach_here();
    else
        threads_.set_stream(own_thread.thread, recorder::own_stream());
    delivery_.follow_stream(recorder::own_stream());
}

// The stream of the calling thread ends.
void RegionController::thread_ends() noexcept {
    if (own_thread.phase == Phase::attached) threads_.forget_stream(own_thread.thread);
}

void RegionController::detach() noexcept {
    OwnThread& own = own_thread;
    if (own.phase != Phase::attached) return;
    writer::SlowPath slow;
    own.phase = Phase::over;
    threads_.remove(own.thread);
    running()->engine().detach(own.thread);
}

// The child has this thread, as its main thread, with what it had reached in the chains.
void RegionController::start_over_in_child() noexcept {
    OwnThread& own = own_thread;
    own.thread.number = 0;
    own.is_numbered = true;
    if (writer::Stream* stream = recorder::own_stream(); stream && delivery_.scope() == Scope::thread) {
        own.has_wish = true;
        own.wish = recorder::wanted_of(*stream);
    }
    mutex_.forget();
    numbers_.start_over_in_child();
    Thread attached = own.phase == Phase::attached ? own.thread : Thread{};
    is_main_attached_.store(own.phase == Phase::attached, std::memory_order_release);
    threads_.start_over_in_child(attached);
    if (running() != nullptr) running()->engine().start_over_in_child(attached);
    if (running() != nullptr) running()->start_over_in_child();
    delivery_.start_over_in_child();
    new (&unannounced_) std::vector<Unannounced>;  // that of the parent may be half changed
    service_.start_over_in_child();
    has_service_.store(false, std::memory_order_relaxed);
    is_child_ = is_child_ || running() != nullptr;
}

}  // namespace ovni::region
