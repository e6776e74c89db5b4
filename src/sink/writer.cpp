#include "sink/writer.hpp"

#include <sched.h>
#include <unistd.h>

namespace ovni {

Writer::Mode Writer::best_mode(int processes) {
    cpu_set_t cpus;
    if (::sched_getaffinity(0, sizeof cpus, &cpus) != 0) return Mode::at_once;
    bool room = CPU_COUNT(&cpus) > 1 && ::sysconf(_SC_NPROCESSORS_ONLN) >= 2L * processes;
    return room ? Mode::own_thread : Mode::at_once;
}

namespace {

// On a single rank the emulation may be some batches ahead. On many ranks one is written and one is filled.
size_t batches_in(const Ranks& ranks, Writer::Mode mode) {
    constexpr size_t ahead = 6;
    if (mode == Writer::Mode::at_once) return 1;
    return ranks.is_alone() ? ahead : 2;
}

}  // namespace

Writer::Writer(const Ranks& ranks, const Sinks& sinks, size_t breakdowns, Mode mode)
    : ranks_(ranks), sinks_(sinks), batches_(batches_in(ranks, mode)) {
    for (Batch& batch : batches_) batch.breakdowns.resize(breakdowns);
    if (mode == Mode::own_thread) thread_ = std::thread([this] { work(); });
}

Writer::~Writer() {
    join();
}

void Writer::share(const Batch& batch) {
    for (const auto& sink : sinks_) sink->share(batch.slice());
}

void Writer::write(Batch& batch) {
    if (ranks_.is_alone()) share(batch);
    for (const auto& sink : sinks_) sink->write(batch.slice());
    batch.records.clear();
    for (auto& lines : batch.breakdowns) lines.clear();
    batch.messages.clear();
    batch.calls.clear();
}

// All that was submitted is written on all ranks, or all ranks throw.
void Writer::settle() {
    if (thread_.joinable()) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return written_ == filled_ || failure_; });
    }
    ranks_.settle(failure_);
}

void Writer::submit() {
    if (!ranks_.is_alone()) {
        settle();
        share(batch());
    }
    if (!thread_.joinable()) {
        try {
            write(batch());
        } catch (...) {
            failure_ = std::current_exception();
        }
        if (ranks_.is_alone()) ranks_.settle(failure_);
        return;
    }
    std::unique_lock lock(mutex_);
    ++filled_;
    changed_.notify_all();
    if (!ranks_.is_alone()) return;
    changed_.wait(lock, [&] { return filled_ - written_ < batches_.size() || failure_; });
    std::exception_ptr failure = failure_;
    lock.unlock();
    ranks_.settle(failure);
}

void Writer::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return written_ < filled_ || ended_; });
        if (written_ == filled_) return;
        Batch& next = batches_[written_ % batches_.size()];
        lock.unlock();
        try {
            write(next);
        } catch (...) {
            lock.lock();
            failure_ = std::current_exception();
            changed_.notify_all();
            return;
        }
        lock.lock();
        ++written_;
        changed_.notify_all();
    }
}

void Writer::join() {
    if (!thread_.joinable()) return;
    {
        std::lock_guard lock(mutex_);
        ended_ = true;
        changed_.notify_all();
    }
    thread_.join();
}

void Writer::finish() {
    join();
    ranks_.settle(failure_);
}

}  // namespace ovni
