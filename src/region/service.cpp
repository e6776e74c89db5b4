#include "region/service.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>

#include "region/control_socket.hpp"
#include "ring/descriptors.hpp"
#include "ring/diagnostics.hpp"
#include "ring/futex.hpp"
#include "ring/library_threads.hpp"
#include "ring/session.hpp"
#include "ring/signal_mask.hpp"

namespace ovni::region {
namespace {

constexpr uint64_t second = 1'000'000'000;
constexpr uint64_t between_looks = second / 5;  // whether the program's threads have ended
constexpr size_t stack_bytes = size_t{256} << 10;

uint64_t sum(uint64_t clock, uint64_t ns) noexcept {
    return clock + std::min(ns, Deadlines::never - 1 - clock);
}

// The thread that starts the service may be bound to one CPU, which belongs to the program.
void leave_cpu_to_program() noexcept {
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
}

}  // namespace

void Service::become(State state) noexcept {
    state_.store(static_cast<uint32_t>(state), std::memory_order_release);
    writer::futex_wake_all(state_);
}

bool Service::start(const ServiceEvents& events, const std::string& socket_path) noexcept {
    writer::SlowPath slow;
    if (has_thread_.load()) return state() == State::serves;
    events_ = events;
    path_ = socket_path;
    is_to_end_.store(false);
    become(State::begins);
    if (!make_thread()) {
        become(State::none);
        writer::complain(writer::Trouble::control, "ovni", "no thread for timers and the control socket:");
        return false;
    }
    while (state() == State::begins)
        writer::futex_wait(state_, static_cast<uint32_t>(State::begins), static_cast<int64_t>(second));
    if (state() == State::serves) return true;
    errno = error_;
    writer::complain(writer::Trouble::control, "ovni", "no control socket %s:", socket_path.c_str());
    return false;
}

bool Service::make_thread() noexcept {
    sigset_t before;
    writer::change_signals(SIG_SETMASK, writer::all_signals(), &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    int error = pthread_create(&thread_, &attributes, run, this);
    pthread_attr_destroy(&attributes);
    writer::change_signals(SIG_SETMASK, before);
    has_thread_.store(error == 0);
    errno = error;
    return error == 0;
}

void* Service::run(void* self) noexcept {
    auto* service = static_cast<Service*>(self);
    const writer::LibraryThread own;
    writer::own_thread_state.slow_paths = 1;  // its signals are blocked for good
    service->settle();
    service->serve();
    {
        writer::Lock lock(service->mutex_);
        service->tid_ = 0;
    }
    service->server_.unlink();
    service->server_.close();
    service->become(State::over);
    if (!service->is_to_end_.load(std::memory_order_acquire)) writer::end_as_main_thread();
    return nullptr;
}

void Service::settle() noexcept {
    pthread_setname_np(pthread_self(), "ovni-control");
    writer::part_from_descriptors(STDERR_FILENO);
    leave_cpu_to_program();
    prctl(PR_SET_TIMERSLACK, 1UL);
    bool is_without = path_->empty();
    bool has_socket = is_without || server_.listen(*path_);
    error_ = errno;
    {
        writer::Lock lock(mutex_);
        tid_ = static_cast<pid_t>(syscall(SYS_gettid));
    }
    become(has_socket ? State::serves : State::serves_timers);
    if (has_socket && !is_without && writer::launcher_rank() == "0") {
        std::string line = "ovni: control socket: " + *path_ + "\n";
        writer::print(line.data(), line.size());
    }
}

void Service::serve() noexcept {
    uint64_t looked = writer::monotonic_clock();
    while (!is_to_end_.load(std::memory_order_acquire)) {
        wait(std::min(ring_timers(), looked + between_looks));
        if (writer::monotonic_clock() < looked + between_looks) continue;
        if (writer::program_threads_have_ended()) return;
        looked = writer::monotonic_clock();
    }
}

// Rings the timers that are due; returns the time of the next.
uint64_t Service::ring_timers() noexcept {
    uint64_t now = writer::monotonic_clock();
    for (;;) {
        std::optional<Deadline> due;
        {
            writer::Lock lock(mutex_);
            due = deadlines_.take(now);
            if (!due) return deadlines_.earliest();
        }
        if (is_to_end_.load(std::memory_order_acquire)) return 0;
        if (events_.timer) events_.timer(due->alarm, due->thread);
    }
}

void Service::wait(uint64_t until) noexcept {
    constexpr uint64_t longest_without_waker = second / 20;
    std::array<pollfd, 1 + ControlServer::most_polled> polled{};
    std::span<pollfd, ControlServer::most_polled> sockets(polled.data() + 1, ControlServer::most_polled);
    ControlServer::Watched watched = server_.watch(sockets);
    polled[0] = {waker_.watch(), POLLIN, 0};
    uint64_t now = writer::monotonic_clock();
    until = std::min(until, watched.until);
    if (polled[0].fd < 0) until = std::min(until, now + longest_without_waker);
    uint64_t left = until > now ? until - now : 0;
    timespec timeout{static_cast<time_t>(left / second), static_cast<long>(left % second)};
    int come = ::ppoll(polled.data(), 1 + watched.count, &timeout, nullptr);
    if (come <= 0) return;
    if (polled[0].revents != 0) waker_.quieten();
    if (!is_to_end_.load(std::memory_order_acquire))
        server_.serve(sockets.first(watched.count), events_.command);
}

void Service::arm_timer(uint16_t alarm, uint32_t thread, uint64_t ns) noexcept {
    writer::SlowPath slow;
    uint64_t at = sum(writer::monotonic_clock(), ns);
    bool has_room = false;
    {
        writer::Lock lock(mutex_);
        uint64_t before = deadlines_.earliest();
        has_room = deadlines_.set(alarm, thread, at);
        if (tid_ != 0 && deadlines_.earliest() < before) Waker::wake(tid_);
    }
    if (!has_room)
        writer::complain(writer::Trouble::timeouts, "ovni",
                         "more than %zu timeouts at a time, further ones are lost", Deadlines::most);
}

// exit() may be called anywhere, even in a callback of this thread.
void Service::stop() noexcept {
    writer::SlowPath slow;
    if (!has_thread_.load()) return;
    is_to_end_.store(true, std::memory_order_release);
    if (mutex_.lock_soon()) {
        if (tid_ != 0) Waker::wake(tid_);
        mutex_.unlock();
    }
    if (thread_ends_soon())
        has_thread_.store(false);
    else
        server_.unlink();
}

bool Service::thread_ends_soon() noexcept {
    constexpr time_t longest_wait = 1;  // s
    if (pthread_equal(thread_, pthread_self())) return false;
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += longest_wait;
    return pthread_timedjoin_np(thread_, nullptr, &until) == 0;
}

void Service::start_over_in_child() noexcept {
    server_.close();
    new (this) Service();
}

}  // namespace ovni::region
