// Brings slices to the sinks: in a thread of its own, so that formatting and writing go on during the
// emulation of what follows, or at once if there is no core to spare.
//
// Sinks of a single rank share and write in that thread, several slices behind the emulation. Many ranks all
// wait for the slice before, share, and then write this slice in that thread. An error of a sink is thrown by
// the next submit() or by finish(), on all ranks.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "emu/records/record_buffer.hpp"
#include "sink/sink.hpp"

namespace ovni {

// The memory of a slice.
struct Batch {
    RecordBuffer records;
    std::vector<std::vector<Record>> breakdowns;  // lines, by Schema::breakdowns
    std::vector<MessageRecord> messages;
    std::vector<MpiCall> calls;

    Slice slice() const { return {{records.data(), records.size()}, breakdowns, messages, calls}; }
};

class Writer {
 public:
    using Sinks = std::vector<std::unique_ptr<Sink>>;
    enum class Mode : uint8_t { at_once, own_thread };
    // A thread if this process may use more than one core, and so may all of `processes` on this machine.
    static Mode best_mode(int processes = 1);

    // `breakdowns`: how many breakdown outputs there are. Sinks have begun, and outlive the writer.
    Writer(const Ranks& ranks, const Sinks& sinks, size_t breakdowns, Mode mode);
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // The batch to be filled next; empty, its vectors keep their memory.
    Batch& batch() { return batches_[filled_ % batches_.size()]; }
    // Collective.
    void submit();
    // Everything submitted is written. No submit() after it. Collective.
    void finish();

 private:
    void share(const Batch& batch);
    void write(Batch& batch);
    void work();
    void settle();
    void join();

    const Ranks& ranks_;
    const Sinks& sinks_;
    std::vector<Batch> batches_;
    size_t filled_ = 0, written_ = 0;  // batches so far
    bool ended_ = false;
    std::exception_ptr failure_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::thread thread_;
};

}  // namespace ovni
