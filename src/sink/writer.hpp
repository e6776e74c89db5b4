// Brings batches of records to a sink: in a thread of its own, so that formatting and writing overlap with
// emulation, or at once where there is no core to spare. An error of the sink is thrown by the next submit()
// or by finish().
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "emu/record_buffer.hpp"
#include "sink/sink.hpp"

namespace ovni {

struct Batch {
    RecordBuffer records;
    std::vector<std::vector<Record>> breakdowns;  // lines, by Schema::breakdowns
};

class Writer {
 public:
    enum class Mode : uint8_t { at_once, own_thread };
    // A thread where this process may use more than one core, and so may all of `processes` on this machine.
    static Mode best_mode(int processes = 1);

    // `breakdowns`: how many breakdown outputs there are.
    Writer(Sink& sink, size_t breakdowns, Mode mode);
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // The batch to be filled next; empty, its vectors keep their memory.
    Batch& batch() { return batches_[filled_ % batches_.size()]; }
    void submit();
    // Everything submitted is written. No submit() after it.
    void finish();

 private:
    static constexpr size_t ring_size = 6;

    void write(Batch& batch);
    void work();
    void join();

    Sink& sink_;
    std::vector<Batch> batches_;
    size_t filled_ = 0, written_ = 0;  // batches so far
    bool ended_ = false;
    std::exception_ptr failure_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::thread thread_;
};

}  // namespace ovni
