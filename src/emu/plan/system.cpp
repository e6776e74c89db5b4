#include "emu/plan/system.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "base/error.hpp"
#include "base/log.hpp"
#include "emu/plan/twins.hpp"
#include "trace/run_vote.hpp"

namespace ovni {

namespace {

// The same things while they are collected: in order of appearance, not numbered yet.
struct Process {
    int pid = 0;
    std::optional<int> app_id, rank, nranks;
    std::vector<uint32_t> streams;
    std::set<int> tids;
};

struct Loom {
    std::string name;
    std::vector<CpuId> cpus;
    std::vector<Process> processes;
    // Positions in the lists above, by physical number and by pid; and the list of CPUs that was merged last,
    // because the streams of a loom tend to repeat it.
    std::unordered_map<int, size_t> cpu_of, process_of;
    std::vector<CpuId> merged;

    std::optional<int> lowest_rank() const {
        std::optional<int> lowest;
        for (const Process& p : processes)
            if (p.rank && (!lowest || *p.rank < *lowest)) lowest = p.rank;
        return lowest;
    }
};

class Collector {
 public:
    explicit Collector(const Trace& trace) : trace_(trace) {}

    std::vector<Loom> collect() {
        for (uint32_t s = 0; s < trace_.streams().size(); ++s) {
            stream_ = s;
            add(trace_.streams()[s].metadata);
        }
        for (Loom& loom : looms_) finish(loom);
        return std::move(looms_);
    }

 private:
    [[noreturn]] void fail(const std::string& what) const { throw Error(what, trace_.json_path_of(stream_)); }

    void add(const StreamMetadata& m) {
        if (m.common->part != "thread") {
            log::warn("{}: ignoring a stream of part '{}'", trace_.json_path_of(stream_), m.common->part);
            return;
        }
        Loom& loom = find_loom(m.common->loom);
        if (m.common->cpus != loom.merged)
            for (CpuId cpu : m.common->cpus) add_cpu(loom, cpu);
        loom.merged = m.common->cpus;
        Process& process = find_process(loom, m.process->pid);
        add_identity(process, m);
        if (!process.tids.insert(m.tid).second)
            fail(fmt::format(
                "thread {} of process {} has two streams in loom {} (of two hosts with one name?)", m.tid,
                m.process->pid, m.common->loom));
        if (!m.finished)
            fail(
                "ovni.finished is not 1: the thread did not end its stream (was the program killed? see "
                "ovnirecover)");
        if (!m.common->lib_version || !m.common->lib_commit)
            fail("ovni.lib.version or ovni.lib.commit is missing");
        if (!m.common->has_require) fail("ovni.require is missing: no model is required, not even ovni");
        process.streams.push_back(stream_);
    }

    Loom& find_loom(const std::string& name) {
        auto [found, is_new] = loom_of_.try_emplace(name, looms_.size());
        if (is_new) looms_.emplace_back().name = name;
        return looms_[found->second];
    }

    void add_cpu(Loom& loom, CpuId cpu) const {
        auto [found, is_new] = loom.cpu_of.try_emplace(cpu.phyid, loom.cpus.size());
        if (is_new) loom.cpus.push_back(cpu);
        const CpuId& same = loom.cpus[found->second];
        if (same.index != cpu.index)
            fail(fmt::format("CPU {} of loom {} has index {} here and {} in another stream", cpu.phyid,
                             loom.name, cpu.index, same.index));
    }

    Process& find_process(Loom& loom, int pid) {
        auto [found, is_new] = loom.process_of.try_emplace(pid, loom.processes.size());
        if (is_new) loom.processes.emplace_back().pid = pid;
        return loom.processes[found->second];
    }

    void agree(std::optional<int>& stored, std::optional<int> value, const char* what, int pid) const {
        if (value && stored && *stored != *value)
            fail(fmt::format("{} of process {} is {} here and {} in another stream", what, pid, *value,
                             *stored));
        if (value) stored = value;
    }

    void add_identity(Process& process, const StreamMetadata& m) const {
        agree(process.app_id, m.process->app_id, "ovni.app_id", m.process->pid);
        agree(process.rank, m.process->rank, "ovni.rank", m.process->pid);
        if (!m.process->rank) return;
        agree(process.nranks, m.process->nranks, "ovni.nranks", m.process->pid);
    }

    void finish(Loom& loom) {
        stream_ = loom.processes.front().streams.front();
        size_t ranked = std::ranges::count_if(loom.processes, [](auto& p) { return p.rank.has_value(); });
        if (ranked != 0 && ranked != loom.processes.size() && !are_named_by_run(loom))
            fail(fmt::format("loom {} has processes with and without a rank", loom.name));
        for (const Process& p : loom.processes)
            if (!p.app_id) fail(fmt::format("process {} of loom {} has no ovni.app_id", p.pid, loom.name));
        check_cpus(loom);
        auto key = [&](const Process& p) {
            return ranked ? p.rank.value_or(std::numeric_limits<int>::max()) : p.pid;
        };
        std::ranges::stable_sort(loom.processes, {}, key);
        auto tid = [&](uint32_t s) { return trace_.streams()[s].metadata.tid; };
        for (Process& p : loom.processes) std::ranges::stable_sort(p.streams, {}, tid);
        std::ranges::sort(loom.cpus, {}, &CpuId::phyid);
    }

    // Our library knows runs; below ovnirun a script is no rank, but the MPI program that it starts is.
    bool are_named_by_run(const Loom& loom) const {
        auto has_run = [&](uint32_t s) { return trace_.streams()[s].metadata.common->run.has_value(); };
        return std::ranges::all_of(loom.processes,
                                   [&](const Process& p) { return std::ranges::all_of(p.streams, has_run); });
    }

    void check_cpus(const Loom& loom) const {
        if (loom.cpus.empty() && all_died(loom))
            log::warn("loom {} has no CPUs: its threads ended before they reported their CPUs", loom.name);
        else if (loom.cpus.empty())
            fail(fmt::format("loom {} has no CPUs: no stream has ovni.loom_cpus", loom.name));
        std::vector<bool> taken(loom.cpus.size());
        for (CpuId cpu : loom.cpus) {
            if (static_cast<size_t>(cpu.index) >= taken.size())
                fail(fmt::format("CPU index {} of loom {} is not below its number of CPUs, {}", cpu.index,
                                 loom.name, taken.size()));
            if (taken[cpu.index])
                fail(fmt::format("two CPUs of loom {} have index {}", loom.name, cpu.index));
            taken[cpu.index] = true;
        }
    }

    bool all_died(const Loom& loom) const {
        auto died = [&](uint32_t s) { return trace_.streams()[s].metadata.end.has_value(); };
        return std::ranges::all_of(loom.processes,
                                   [&](const Process& p) { return std::ranges::all_of(p.streams, died); });
    }

    const Trace& trace_;
    uint32_t stream_ = 0;
    std::vector<Loom> looms_;
    std::unordered_map<std::string, size_t> loom_of_;
};

void sort_looms(std::vector<Loom>& looms) {
    size_t ranked = std::ranges::count_if(looms, [](auto& loom) { return loom.lowest_rank().has_value(); });
    if (ranked == looms.size()) {
        log::info("sorting looms by rank");
        std::ranges::stable_sort(looms, {}, [](const Loom& loom) { return *loom.lowest_rank(); });
    } else {
        if (ranked != 0) log::warn("{} of {} looms have ranks, the others have none", ranked, looms.size());
        log::info("sorting looms by name");
        std::ranges::stable_sort(looms, {}, &Loom::name);
    }
}

void report_writers(const Trace& trace) {
    std::map<std::string, int> writers;
    for (const Stream& s : trace.streams())
        if (s.metadata.common->part == "thread")
            ++writers[fmt::format("version {} commit {}", *s.metadata.common->lib_version,
                                  *s.metadata.common->lib_commit)];
    if (writers.size() == 1) log::info("generated with libovni {}", writers.begin()->first);
    if (writers.size() < 2) return;
    for (const auto& [writer, count] : writers) log::warn("{} streams are of libovni {}", count, writer);
    log::warn("the trace was written by different versions of libovni");
}

void check_one_run(const Trace& trace) {
    const Stream* first = nullptr;
    const RunVote vote(trace.streams());
    for (const Stream& s : trace.streams()) {
        if (!vote.counts(s.metadata)) continue;
        if (!first) first = &s;
        if (*first->metadata.common->run != *s.metadata.common->run)
            throw Error(
                fmt::format(
                    "streams of two runs, as of two jobs at once: {} is of run {}, {} of run {}; "
                    "ovniemu --keep-going takes the run that has more, and each job needs its own ovnirun -o",
                    first->relative_path(), *first->metadata.common->run, s.relative_path(),
                    *s.metadata.common->run),
                trace.directory().string());
    }
}

}  // namespace

System::System(const Trace& trace, RowNames names) : thread_of_stream_(trace.streams().size(), no_thread) {
    check_one_run(trace);
    lacks_threads_ = std::ranges::any_of(
        trace.streams(), [](const Stream& stream) { return stream.metadata.leaves_threads_out; });
    std::vector<Loom> looms = Collector(trace).collect();
    sort_looms(looms);
    size_t processes = 0, cpus = 0;
    for (const Loom& loom : looms) processes += loom.processes.size(), cpus += loom.cpus.size() + 1;
    processes_.reserve(processes);
    cpus_.reserve(cpus);
    threads_.reserve(trace.streams().size());
    TextList thread_labels, cpu_labels;
    for (const Loom& loom : looms) {
        auto loom_index = static_cast<uint32_t>(looms_.size());
        LoomInfo& info = looms_.emplace_back();
        info.name = loom.name;
        info.lowest_rank = loom.lowest_rank();
        info.first_process = static_cast<uint32_t>(processes_.size());
        info.process_count = static_cast<uint32_t>(loom.processes.size());
        info.first_cpu = static_cast<uint32_t>(cpus_.size());
        info.cpu_count = static_cast<uint32_t>(loom.cpus.size()) + 1;
        for (const Process& p : loom.processes) {
            auto process_index = static_cast<uint32_t>(processes_.size());
            processes_.push_back({loom_index, p.pid, *p.app_id, p.rank, p.nranks,
                                  static_cast<uint32_t>(threads_.size()),
                                  static_cast<uint32_t>(p.streams.size())});
            for (uint32_t stream : p.streams) {
                const Stream& of_thread = trace.streams()[stream];
                thread_of_stream_[stream] = static_cast<uint32_t>(threads_.size());
                threads_.push_back({loom_index, process_index, stream, of_thread.metadata.tid,
                                    of_thread.metadata.samples_cpus});
                thread_labels.push_back(name_of_thread_row(of_thread, *p.app_id, p.rank, names));
            }
        }
        for (CpuId cpu : loom.cpus) {
            cpus_.push_back({loom_index, cpu.index, cpu.phyid});
            cpu_labels.push_back(fmt::format(" CPU {}.{}", loom_index, cpu.phyid));
        }
        info.cpu_rows.resize(loom.cpus.size());
        for (size_t c = 0; c < loom.cpus.size(); ++c)
            info.cpu_rows[static_cast<size_t>(loom.cpus[c].index)] =
                info.first_cpu + static_cast<uint32_t>(c);
        cpus_.push_back({loom_index, CpuInfo::virtual_index, -1});
        cpu_labels.push_back(fmt::format("vCPU {}.*", loom_index));
    }
    thread_labels.shrink_to_fit();
    cpu_labels.shrink_to_fit();
    thread_labels_ = std::move(thread_labels);
    cpu_labels_ = std::move(cpu_labels);
    log::info("loaded {} looms, {} processes, {} threads and {} cpus", looms_.size(), processes_.size(),
              threads_.size(), cpus_.size() - looms_.size());
    report_writers(trace);
    warn_of_twins(trace, *this);
}

uint32_t System::find_thread(uint32_t process, int tid) const {
    auto in_process = [&](uint32_t p) {
        const auto first = threads_.begin() + processes_[p].first_thread;
        const auto last = first + processes_[p].thread_count;
        const auto found = std::ranges::lower_bound(first, last, tid, {}, &ThreadInfo::tid);
        if (found == last || found->tid != tid) return no_thread;
        return static_cast<uint32_t>(found - threads_.begin());
    };
    const LoomInfo& loom = looms_[processes_[process].loom];
    uint32_t found = in_process(process);
    for (uint32_t p = 0; found == no_thread && p < loom.process_count; ++p)
        found = in_process(loom.first_process + p);
    return found;
}

uint32_t System::find_cpu(uint32_t loom, int index) const {
    const LoomInfo& info = looms_[loom];
    if (index == CpuInfo::virtual_index) return info.first_cpu + info.cpu_count - 1;
    return index >= 0 && static_cast<size_t>(index) < info.cpu_rows.size()
               ? info.cpu_rows[static_cast<size_t>(index)]
               : no_cpu;
}

}  // namespace ovni
