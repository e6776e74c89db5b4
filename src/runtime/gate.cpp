#include "runtime/gate.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "runtime/thread.hpp"

namespace ovni::writer {

constinit Immortal<Gate> the_gate;

namespace {

// Acts as a fence in every thread of the process.
void fence_all_threads() noexcept {
    auto command = [](int number) { return syscall(SYS_membarrier, number, 0, 0) == 0; };
    if (!command(MEMBARRIER_CMD_PRIVATE_EXPEDITED) && command(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED))
        command(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    static std::atomic<uint32_t> passed{0};
    passed.fetch_add(1, std::memory_order_seq_cst);  // a fence that sanitizers know
}

// Emissions end within nanoseconds, unless their threads have lost their CPUs. An emission may be left for
// good, or a debugger may hold its thread: then it must not hold up the others. What it still stores is older
// than the change by its clock, or is shown before the change.
template <class Concerns>
void wait_for_emissions(Concerns concerns) noexcept {
    constexpr timespec moment{0, 50'000};
    constexpr uint64_t longest = 1'000'000'000;
    for (uint64_t begin = monotonic_clock();; nanosleep(&moment, nullptr)) {
        bool is_late = monotonic_clock() - begin > longest, waits = false;
        streams().visit([&](Stream& stream) {
            if (!concerns(stream) || !stream.recording().is_emitting()) return;
            waits = true;
            if (is_late) stream.recording().give_up_emission();
        });
        if (!waits || is_late) return;
    }
}

}  // namespace

void Gate::set_follower(ovni_private_follower* wanted) {
    follower_.store(wanted, std::memory_order_release);
    if (wanted) track();
}

void Gate::begin() noexcept {
    if (has_begun_.load(std::memory_order_acquire)) return;
    Lock lock(beginning_);
    if (has_begun_.load(std::memory_order_relaxed)) return;
    if (controller_) {
        Recording first = controller_->begin();
        if (controller_->decides()) is_tracking_.store(true, std::memory_order_release);
        Lock log_lock(logging_);
        state_.store(first, std::memory_order_release);
        logged_ = first;
    }
    has_begun_.store(true, std::memory_order_release);
}

// Informs existing streams; their open states are unknown.
void Gate::track() noexcept {
    if (is_tracking_.exchange(true)) return;
    streams().visit([](Stream& stream) { stream.recording().want(stream.recording().wanted()); });
}

// Single threads may differ from the state of the process.
bool Gate::is_so(Recording wanted, const Stream* only) const noexcept {
    bool is_so = only || state() == wanted;
    streams().visit([&](const Stream& stream) {
        if (!only || &stream == only) is_so &= stream.recording().wanted() == wanted;
    });
    return is_so;
}

ChangeOutcome Gate::change(Recording to, Stream* only, uint64_t* at, const char* reason) noexcept {
    SlowPath slow;
    if (in_transition_.exchange(true, std::memory_order_acquire)) return ChangeOutcome::in_transition;
    ChangeOutcome outcome = ChangeOutcome::was_so;
    track();
    if (!is_so(to, only)) {
        outcome = ChangeOutcome::done;
        RecordingChange change{to, clock_now(), reason};
        if (to == Recording::off && !only) reason_.store(reason, std::memory_order_release);
        if (!only) state_.store(to, std::memory_order_release);
        auto concerns = [&](const Stream& stream) { return !only || &stream == only; };
        streams().visit([&](Stream& stream) {
            if (concerns(stream)) stream.recording().want(to);
        });
        if (to == Recording::off) {
            fence_all_threads();
            wait_for_emissions(concerns);
        }
        // Threads show what is wanted from now on.
        change.clock = clock_now();
        log(change, only);
        if (at) *at = change.clock;
    }
    in_transition_.store(false, std::memory_order_release);
    return outcome;
}

// Another change takes less than a millisecond, and a second at most for emissions that do not end.
ChangeOutcome Gate::change_after_others(Recording to, Stream* only, uint64_t* at,
                                        const char* reason) noexcept {
    constexpr int most_attempts = 40'000;
    constexpr timespec moment{0, 50'000};
    ChangeOutcome outcome = change(to, only, at, reason);
    for (int i = 0; outcome == ChangeOutcome::in_transition && i < most_attempts; ++i) {
        nanosleep(&moment, nullptr);
        outcome = change(to, only, at, reason);
    }
    return outcome;
}

void Gate::log(const RecordingChange& change, Stream* only) noexcept {
    Lock lock(logging_);
    uint64_t number = count_.load(std::memory_order_relaxed) + 1;
    log_[number % kept] = {change, only};
    if (only)
        only->recording().own_change = {number, change};
    else
        logged_ = change.to;
    count_.store(number, std::memory_order_release);
}

Recording Gate::join(std::atomic<uint64_t>& seen) noexcept {
    SlowPath slow;
    Lock lock(logging_);
    seen = count_.load(std::memory_order_relaxed);
    return logged_;
}

bool Gate::next(const Stream& stream, std::atomic<uint64_t>& seen, RecordingChange& change) noexcept {
    SlowPath slow;
    Lock lock(logging_);
    uint64_t count = count_.load(std::memory_order_relaxed);
    uint64_t forgotten = count - std::min(count, kept);
    uint64_t last = seen.load(std::memory_order_relaxed);
    bool has_missed = last < forgotten;
    const OwnChange& own = stream.recording().own_change;
    bool is_own = own.number > last && own.number <= forgotten;
    bool found = is_own;
    last = is_own ? own.number : std::max(last, forgotten);
    if (is_own) change = own.change;
    while (!found && last < count) {
        const Logged& logged = log_[++last % kept];
        found = !logged.only || logged.only == &stream;
        if (found) change = logged.change;
    }
    change.has_missed = has_missed;
    seen.store(last, std::memory_order_relaxed);
    return found;
}

// No other thread is there any more.
void Gate::start_over_in_child() noexcept {
    beginning_.forget();
    logging_.forget();
    in_transition_.store(false, std::memory_order_relaxed);
    logged_ = state();
}

}  // namespace ovni::writer
