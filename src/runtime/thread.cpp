#include "runtime/thread.hpp"

#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "ring/diagnostics.hpp"
#include "runtime/border_follower.hpp"
#include "runtime/memory.hpp"

__thread ovni_private_window* ovni_private_thread_window = nullptr;

namespace ovni::writer {

constinit Immortal<StreamList> all_streams;

namespace {

pthread_key_t at_thread_end;
pid_t this_process;
std::atomic<uint32_t> forks{0};      // before this process
uint64_t process_begin;              // or that of the image; monotonic
std::atomic<bool> has_rows{false};   // of threads that emit nothing
std::atomic<bool> withdrawn{false};  // rows are: the program records its threads itself
constexpr size_t name_bytes = 16;    // of a thread, with the zero
char name_of_program[name_bytes];    // that of its first thread, which others inherit

// Looks as in the middle of an emission: the thread stores nothing there and asks the library.
constinit ovni_private_window window_of_nobody = [] {
    ovni_private_window window{};
    window.busy = 1;
    return window;
}();

// Rows of threads that have ended, and more threads that end before MPI_Init than any program has.
constexpr size_t most_held = 256;

// The value of the key counts rounds of destructors: it points to the next one.
constexpr int closing_round = PTHREAD_DESTRUCTOR_ITERATIONS - 2;  // from 0
const char rounds[closing_round + 1] = {};

// Destructors of other keys may still emit, so the stream is closed in a late round of destructors. The last
// one is left to those who tear down what we stand on, such as sanitizers.
void end_thread(void* mark) {
    const char* round = static_cast<char*>(mark);
    if (round < rounds + closing_round) {
        pthread_setspecific(at_thread_end, round + 1);
        return;
    }
    Stream* stream = own_thread_state.stream;
    if (!stream) return;
    SlowPath slow;
    if (gate().controller()) gate().controller()->thread_ends();
    stream->leave_emission();
    stream->recording().show_changes();
    ovni_private_thread_window = &window_of_nobody;
    own_thread_state.become(ThreadPhase::ended);
    if (stream->is_ours() && stream->is_shown_by_us() &&
        (process().may_be_identified() || stream->may_show_others())) {
        streams().hold(stream);
        return close_held(most_held);
    }
    StreamEnd returned{"exit", 0};
    stream->close(stream->is_ours() ? nullptr : &returned);
    stream->wait_until_written();
    streams().remove(stream);
    delete stream;
}

// Signals wait while a fork holds the locks: a handler could need them. Written under the lock of the
// streams.
sigset_t signals_before_fork;

// A handler that forks amid a slow path may hold the locks already.
void before_fork() {
    bool is_within = is_inside();
    sigset_t before;
    if (!is_within) block_signals(&before);
    own_thread_state.slow_paths = own_thread_state.slow_paths + 1;
    if (is_within) return;
    streams().lock();
    process().lock();
    lock_memory();
    signals_before_fork = before;
    own_thread_state.forks = true;
}

void release_locks() noexcept {
    sigset_t before = signals_before_fork;
    process().unlock();
    streams().unlock();
    change_signals(SIG_SETMASK, before);
}

void end_fork() {
    own_thread_state.forks = false;
    if (gate().controller())
        gate().controller()->fork_ends(release_locks);
    else
        release_locks();
}

void after_fork_in_parent() {
    own_thread_state.slow_paths = own_thread_state.slow_paths - 1;
    if (is_inside()) return;
    unlock_memory();
    end_fork();
}

void forget_locks() {
    forget_memory_lock();
    streams().forget_locks();
    process().forget_locks();
}

// For a thread whose stream is the parent's: all zero, so the first emission takes the slow path.
ovni_private_window inherited_window;
const Stream* parent_stream;

// A handler that interrupted an emission may fork: the emission goes on in the child, and must end somewhere.
alignas(64) uint8_t nowhere[2 * OVNI_FORMAT_EVENT_MAX];
uint64_t never_published;
ClockPage system_clock;

void let_emission_end(Stream& stream) {
    ovni_private_window* window = stream.window();
    if (!window) return;
    stream.let_shared_emission_end();
    window->data = nowhere;
    window->published = &never_published;
    use_clock(*window, system_clock);
    window->gate = gate_without_looks;
}

void start_thread_over() {
    forget_own_process_id();
    this_process = getpid();
    forks.fetch_add(1, std::memory_order_relaxed);
    process_begin = monotonic_clock();
    process().start_over_in_child(streams().hold_more_than_rows());
    streams().forget_in_child();
    parent_stream = own_thread_state.stream;
    if (parent_stream) let_emission_end(*own_thread_state.stream);
    host().start_over_in_child();
    gate().start_over_in_child();
    if (gate().controller()) gate().controller()->start_over_in_child();
    ovni_private_thread_window = parent_stream ? &inherited_window : nullptr;
    own_thread_state.become(ThreadPhase::fresh);
    pthread_setspecific(at_thread_end, nullptr);
}

void after_fork_in_child() {
    unlock_memory();
    if (own_thread_state.slow_paths > 1) forget_locks();
    start_thread_over();
    own_thread_state.slow_paths = own_thread_state.slow_paths - 1;
    if (!is_inside()) end_fork();
}

// A child that shares or copies our memory without the knowledge of pthread_atfork has nothing to end. A
// handler that calls exit() may have come amid a slow path, whose locks nobody releases any more; nor does a
// crash handler that never returns, in another thread.
void end_at_exit(int status, void*) {
    const int code = exit_code_of(status);
    if (getpid() != this_process) return;
    if (!is_inside()) end_counting();
    SignalsWait undisturbed;
    if (gate().controller()) gate().controller()->end();
    bool within = is_inside();
    SlowPath slow;
    if (within) leave_memory();
    bool has_memory = memory_comes_free();
    if (within || !has_memory || !process().comes_free()) {
        streams().try_to_visit([&](Stream& stream) { stream.report_exit(code); });
    } else {
        bool waits = true;
        streams().visit_soon([&](Stream& stream) {
            if (!waits || !stream.end_with_process(code)) waits = false, stream.report_exit(code);
        });
    }
    if (has_memory) host().finish();
}

// Nobody passes the exit code here; ovnirun knows it.
void end_at_quick_exit() {
    if (host().drains_itself()) return end_at_exit(0, nullptr);
    if (getpid() == this_process && !is_inside()) end_counting();
    SignalsWait undisturbed;
    if (gate().controller() && getpid() == this_process) gate().controller()->end();
}

// The function found first may be of another copy, whose window this one shares. Nobody takes the address of
// that function, which could then be one in the program.
bool another_copy_is_there() {
    Dl_info first{}, own{};
    void* found = dlsym(RTLD_DEFAULT, "ovni_private_abandoned");
    return found && dladdr(found, &first) != 0 && dladdr(&this_process, &own) != 0 &&
           first.dli_fbase != own.dli_fbase;
}

// Registered before anything of the program, so run after all of it.
[[gnu::constructor]] void set_up() {
    if (another_copy_is_there()) {
        is_second_copy = true;
        return warn("a second copy of libovni in process %d records only where the first one does", getpid());
    }
    this_process = getpid();
    process_begin = monotonic_clock();
    prctl(PR_GET_NAME, name_of_program);
    pthread_key_create(&at_thread_end, end_thread);
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    on_exit(end_at_exit, nullptr);
    at_quick_exit(end_at_quick_exit);
}

void start_over_in_clone() {
    SlowPath slow;
    forget_locks();
    start_thread_over();
}

// A clone() that bypassed fork() leaves no word, but the window is empty.
void notice_clone() {
    const Stream* stream = own_thread_state.stream;
    if (!stream || !ovni_private_thread_window || ovni_private_thread_window->published) return;
    if (!stream->has_memory() || getpid() == this_process) return;
    start_over_in_clone();
}

}  // namespace

void expect_thread() {
    const bool is_set_up = this_process != 0;
    if (!is_set_up || is_inside() || getpid() == this_process) return;
    start_over_in_clone();
}

ThreadState& this_thread() {
    notice_clone();
    return own_thread_state;
}

Stream* program_stream(const char* function) {
    const ThreadState& thread = this_thread();
    if (is_inside() || memory_is_short()) return nullptr;
    if (thread.stream && !thread.stream->is_ours()) return thread.stream;
    if (thread.phase == ThreadPhase::ended || thread.phase == ThreadPhase::unrecorded) return nullptr;
    if (process().is_inherited()) return inherited_stream();
    fatal(function, thread.phase == ThreadPhase::finished ? "the thread is already finished"
                                                          : "the thread is not initialized");
}

void lose_event() {
    ThreadPhase phase = this_thread().phase;
    bool is_late = phase == ThreadPhase::ended && gate().state() == Recording::on &&
                   process().state() != ProcessState::gone;
    if (is_late || phase == ThreadPhase::unrecorded) host().count_lost(1);
}

bool interrupts_emission(const Stream* stream) {
    if (is_inside()) return true;
    ovni_private_window* window = ovni_private_thread_window;
    auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    return window && window != &window_of_nobody && window->busy && !stream->is_shared() &&
           !ovni_private_abandoned(window, frame);
}

Stream* inherited_stream() {
    const ThreadState& thread = this_thread();
    if (thread.stream || thread.phase != ThreadPhase::fresh || is_inside()) return thread.stream;
    SlowPath slow;
    Stream* stream =
        open_stream(static_cast<pid_t>(syscall(SYS_gettid)), Owner::ours, slow, row_with_events());
    if (stream && parent_stream) stream->inherit(*parent_stream);
    return stream;
}

uint32_t fork_depth() {
    return forks.load(std::memory_order_relaxed);
}

bool is_this_process() {
    return getpid() == this_process;
}

void show_rows() {
    if (!are_rows_withdrawn()) has_rows.store(true, std::memory_order_relaxed);
}

void withdraw_rows() {
    withdrawn.store(true, std::memory_order_relaxed);
    has_rows.store(false, std::memory_order_relaxed);
    streams().visit([](Stream& stream) { stream.withdraw_row(); });
}

bool are_rows_withdrawn() {
    return withdrawn.load(std::memory_order_relaxed);
}

Row row_with_events() {
    return has_rows.load(std::memory_order_relaxed) ? Row::always : Row::none;
}

static void close_all_of(const std::vector<Stream*>& held) {
    for (Stream* stream : held) {
        stream->close(nullptr);
        stream->wait_until_written();
        delete stream;
    }
}

void close_held(size_t most) {
    close_all_of(streams().take_held(most));
}

// The system has given the number of a thread that has ended to another one, whose stream goes on with it.
static void close_held_of(pid_t tid) {
    close_all_of(streams().take_held_of(tid));
}

void show_thread(Row row) {
    const ThreadState& thread = this_thread();
    if (thread.stream || thread.phase != ThreadPhase::fresh || is_inside() || are_rows_withdrawn() ||
        process().state() == ProcessState::gone)
        return;
    SlowPath slow;
    if (memory_is_short()) return;
    process().prepare();
    Stream* stream = open_stream(static_cast<pid_t>(syscall(SYS_gettid)), Owner::ours, slow, row);
    if (!stream) return;
    if (process().is_inherited() && parent_stream) stream->inherit(*parent_stream);
    process().publish_identity();
}

namespace {

// The thread may have got a name before it had a stream.
void take_name(Stream& stream) {
    char name[name_bytes] = "";
    prctl(PR_GET_NAME, name);
    if (strncmp(name, name_of_program, sizeof name) != 0) stream.set_name(name);
}

}  // namespace

Stream* open_stream(pid_t tid, Owner owner, const SlowPath& slow, Row row) {
    gate().begin();
    if (memory_is_short()) {
        complain(Trouble::memory, "ovni", "no memory for thread %d, its events are lost", tid);
        own_thread_state.phase = ThreadPhase::unrecorded;
        ovni_private_thread_window = &window_of_nobody;
        return nullptr;
    }
    close_held_of(tid);
    const bool began_with_process = row != Row::none && tid == this_process;
    const uint64_t since = began_with_process ? process_begin : 0;
    auto* stream = new Stream(tid, owner, slow.signals_before(), row, since);
    if (owner == Owner::ours && !stream->has_memory()) {
        delete stream;
        return nullptr;
    }
    streams().add(stream);
    own_thread_state.become(ThreadPhase::open, stream);
    ovni_private_thread_window = stream->has_memory() ? stream->window() : &window_of_nobody;
    pthread_setspecific(at_thread_end, rounds);
    if (gate().controller()) gate().controller()->thread_begins();
    stream->recording().show_changes();
    if (owner == Owner::ours && row == Row::none) take_name(*stream);
    return stream;
}

void free_stream() {
    SlowPath slow;
    Stream* stream = own_thread_state.stream;
    if (gate().controller()) gate().controller()->thread_ends();
    stream->leave_emission();
    stream->recording().show_changes();
    ovni_private_thread_window = nullptr;
    own_thread_state.become(ThreadPhase::finished);
    stream->close(nullptr);
    stream->wait_until_written();
    streams().remove(stream);
    delete stream;
}

void StreamList::add(Stream* stream) {
    SlowPath slow;
    Lock lock(mutex_);
    streams_.push_back(stream);
    stream->recording().want(gate().state());
}

void StreamList::hold(Stream* stream) {
    SlowPath slow;
    Lock lock(mutex_);
    stream->hold();
    auto takes_it = [&](Stream* other) {
        return other != stream && other->is_held() && other->take_in(*stream);
    };
    if (std::ranges::none_of(streams_, takes_it)) return;
    std::erase(streams_, stream);
    delete stream;
}

std::vector<Stream*> StreamList::take_held(size_t most) {
    SlowPath slow;
    Lock lock(mutex_);
    std::vector<Stream*> held;
    std::ranges::copy_if(streams_, std::back_inserter(held), &Stream::is_held);
    if (held.size() <= most) return {};
    std::ranges::sort(held, {}, &Stream::held_since);
    held.resize(held.size() - most);
    take(held);
    return held;
}

std::vector<Stream*> StreamList::take_held_of(pid_t tid) {
    SlowPath slow;
    Lock lock(mutex_);
    std::vector<Stream*> held;
    std::ranges::copy_if(streams_, std::back_inserter(held),
                         [&](const Stream* stream) { return stream->tid() == tid && stream->is_held(); });
    take(held);
    return held;
}

void StreamList::take(const std::vector<Stream*>& taken) {
    if (taken.empty()) return;
    std::erase_if(streams_, [&](Stream* stream) { return std::ranges::find(taken, stream) != taken.end(); });
}

void StreamList::remove(Stream* stream) {
    SlowPath slow;
    Lock lock(mutex_);
    streams_.erase(std::remove(streams_.begin(), streams_.end(), stream), streams_.end());
}

}  // namespace ovni::writer
