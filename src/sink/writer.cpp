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

Writer::Writer(Sink& sink, size_t breakdowns, Mode mode)
    : sink_(sink), batches_(mode == Mode::own_thread ? ring_size : 1) {
    for (Batch& batch : batches_) batch.breakdowns.resize(breakdowns);
    if (mode == Mode::own_thread) thread_ = std::thread([this] { work(); });
}

Writer::~Writer() {
    join();
}

void Writer::write(Batch& batch) {
    sink_.write(batch.records);
    batch.records.clear();
    for (size_t b = 0; b < batch.breakdowns.size(); ++b) {
        sink_.write_breakdown(b, batch.breakdowns[b]);
        batch.breakdowns[b].clear();
    }
}

void Writer::submit() {
    if (!thread_.joinable()) return write(batch());
    std::unique_lock lock(mutex_);
    ++filled_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return filled_ - written_ < batches_.size() || failure_; });
    if (failure_) std::rethrow_exception(failure_);
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
    if (failure_) std::rethrow_exception(failure_);
}

}  // namespace ovni
