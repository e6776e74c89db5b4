// Micro benchmarks of one buffer for all threads: CPU ns per event of 16 bytes of payload, written by 1, 2
// and 4 threads while a daemon reads. The records are the same 48 bytes in all forms, time stamp and checksum
// included.
#include <benchmark/benchmark.h>
#include <time.h>
#include <x86intrin.h>

#include <memory>
#include <thread>
#include <vector>

#include "drain/shared_reader.hpp"
#include "ring/shared_buffer.hpp"
#include "tests/bench/published_buffer.hpp"

namespace ovni::bench {

namespace {

constexpr int64_t shared_events = 1'000'000;
constexpr auto period = std::chrono::microseconds(500);

double thread_cpu_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// Runs `read` again and again, as long as it lives.
class Daemon {
 public:
    template <class Read>
    explicit Daemon(Read read)
        : thread_([this, read] {
              while (!is_done_) {
                  read();
                  std::this_thread::sleep_for(period);
              }
          }) {}
    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;
    ~Daemon() {
        is_done_ = true;
        thread_.join();
    }

 private:
    std::atomic<bool> is_done_{false};
    std::thread thread_;
};

template <Form form>
class Published {
 public:
    class Writer {
     public:
        Writer(Published& buffer, uint32_t thread) : buffer_(buffer.buffer_), thread_(thread) {}
        void write(uint64_t number) {
            typename PublishedBuffer<form>::Record record{{0, __rdtsc(), thread_, 1, number, number}};
            writer::RecordChecksum checksum(48);
            for (size_t i = 1; i < 6; ++i) checksum.add(record.words[i]);
            record.words[0] = checksum.at(0);
            buffer_.write(record);
        }

     private:
        PublishedBuffer<form>& buffer_;
        uint64_t thread_;
    };

 private:
    PublishedBuffer<form> buffer_;
    Daemon daemon_{[this] { benchmark::DoNotOptimize(buffer_.read()); }};
};

class Shared {
 public:
    class Writer {
     public:
        Writer(Shared& buffer, uint32_t thread) { producer_.open(buffer.buffer_, 1, thread + 1); }
        ~Writer() { producer_.close(); }
        void write(uint64_t number) { producer_.write("OB.", __rdtsc(), number, number); }

     private:
        writer::SharedProducer producer_;
    };

 private:
    static constexpr writer::SharedOptions options{};
    struct alignas(4096) Page {
        std::byte bytes[4096];
    };
    static std::span<std::byte> bytes_of(std::vector<Page>& pages) {
        return {pages.front().bytes, pages.size() * sizeof(Page)};
    }

    std::vector<Page> memory_ =
        std::vector<Page>(writer::SharedBuffer::memory_needed(options) / sizeof(Page) + 1);
    writer::SharedBuffer buffer_ = [this] {
        writer::SharedBuffer buffer;
        buffer.format(bytes_of(memory_), options);
        return buffer;
    }();
    writer::SharedReader reader_ = [this] {
        writer::SharedReader reader;
        reader.open(buffer_, [](uint32_t, uint32_t, uint64_t) noexcept { return true; });
        return reader;
    }();
    uint64_t sum_ = 0;
    Daemon daemon_{[this] {
        reader_.read([this](const writer::SharedRecord& record) { sum_ += record.clock; });
        reader_.release();
    }};
};

template <class Buffer>
void write_shared(benchmark::State& state) {
    static std::shared_ptr<Buffer> buffer;
    if (state.thread_index() == 0) buffer = std::make_shared<Buffer>();
    std::shared_ptr<Buffer> kept;  // longer than the writer
    double cpu_ns = 0;
    uint64_t number = 0;
    std::unique_ptr<typename Buffer::Writer> writer;
    // The first KeepRunning() is where the threads meet: the buffer is there.
    while (state.KeepRunning()) {
        if (!writer) {
            kept = buffer;
            writer = std::make_unique<typename Buffer::Writer>(*buffer, state.thread_index());
            cpu_ns = -thread_cpu_ns();
        }
        writer->write(number++);
    }
    cpu_ns += thread_cpu_ns();
    writer.reset();
    state.counters["cpu_ns"] =
        benchmark::Counter(cpu_ns / static_cast<double>(number), benchmark::Counter::kAvgThreads);
    if (state.thread_index() == 0) buffer.reset();
}

BENCHMARK(write_shared<Published<Form::literal>>)
    ->Iterations(shared_events)
    ->Threads(1)
    ->Threads(2)
    ->Threads(4);
BENCHMARK(write_shared<Published<Form::corrected>>)
    ->Iterations(shared_events)
    ->Threads(1)
    ->Threads(2)
    ->Threads(4);
BENCHMARK(write_shared<Shared>)->Iterations(shared_events)->Threads(1)->Threads(2)->Threads(4);

}  // namespace

}  // namespace ovni::bench
