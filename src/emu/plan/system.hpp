// The looms, processes, threads and CPUs of a trace, merged from the metadata of all streams, checked against
// each other, sorted, and numbered by rows. Made from metadata alone, so every rank builds an equal one.
//
// Order: looms by lowest rank if all have ranks, else by name; processes of a loom by rank, else by pid;
// threads by tid; CPUs of a loom by physical number and then the virtual CPU, which every loom has. Positions
// in the global lists are rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/interned.hpp"
#include "base/text_list.hpp"
#include "emu/plan/row_names.hpp"
#include "trace/trace.hpp"

namespace ovni {

struct CpuInfo {
    static constexpr int virtual_index = -1;
    uint32_t loom = 0;
    int index = virtual_index;  // in the loom, as events name it
    int phyid = -1;
    bool is_virtual() const { return index == virtual_index; }
};

struct ThreadInfo {
    uint32_t loom = 0, process = 0, stream = 0;
    int tid = 0;
    bool samples_cpus = false;  // it may run on other CPUs than its events say, or share one
};

struct ProcessInfo {
    uint32_t loom = 0;
    int pid = 0;
    int app_id = 0;
    std::optional<int> rank, nranks;
    uint32_t first_thread = 0, thread_count = 0;
};

struct LoomInfo {
    std::string name;
    std::optional<int> lowest_rank;
    uint32_t first_process = 0, process_count = 0;
    uint32_t first_cpu = 0, cpu_count = 0;  // with the virtual CPU, which is the last
    std::vector<uint32_t> cpu_rows;         // by index in the loom
};

class System {
 public:
    // Throws Error that names the stream.json at fault. Warns (log) of what is odd but legal.
    explicit System(const Trace& trace, RowNames names = RowNames::ranks);

    static constexpr uint32_t no_thread = 0xffffffff, no_cpu = 0xffffffff;

    const std::vector<LoomInfo>& looms() const { return looms_; }
    const std::vector<ProcessInfo>& processes() const { return processes_; }
    const std::vector<ThreadInfo>& threads() const { return threads_; }
    const std::vector<CpuInfo>& cpus() const { return cpus_; }
    // The names of rows in all outputs.
    const Interned<TextList>& thread_labels() const { return thread_labels_; }
    const Interned<TextList>& cpu_labels() const { return cpu_labels_; }
    // Row of the thread of a stream; no_thread for a stream that is not a thread's.
    uint32_t thread_of_stream(uint32_t stream) const { return thread_of_stream_[stream]; }
    // For a stream that is a thread's.
    uint32_t process_of_stream(uint32_t stream) const { return threads_[thread_of_stream_[stream]].process; }
    // True for a part that ovnicut has made of the trace.
    bool lacks_threads() const { return lacks_threads_; }
    size_t stream_count() const { return thread_of_stream_.size(); }
    // Row of the thread with that tid in the process, else in the first process of its loom that has one;
    // no_thread if there is none.
    uint32_t find_thread(uint32_t process, int tid) const;
    // Row of the CPU of a loom by its index there (-1: the virtual one); no_cpu if there is none.
    uint32_t find_cpu(uint32_t loom, int index) const;

 private:
    std::vector<LoomInfo> looms_;
    std::vector<ProcessInfo> processes_;
    std::vector<ThreadInfo> threads_;
    std::vector<CpuInfo> cpus_;
    Interned<TextList> thread_labels_, cpu_labels_;
    std::vector<uint32_t> thread_of_stream_;
    bool lacks_threads_ = false;
};

}  // namespace ovni
