#include "session/parts.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "base/log.hpp"
#include "session/cpu_uses.hpp"

namespace ovni {

namespace {

std::vector<uint64_t> bytes_of_parts(const Trace& trace, const System& system, const Parts& parts) {
    std::vector<uint64_t> bytes(parts.count);
    for (const ThreadInfo& thread : system.threads())
        bytes[parts.of_process[thread.process]] += trace.streams()[thread.stream].bytes;
    return bytes;
}

// False if one rank has so much more than the mean that the others wait for it.
bool are_balanced(const std::vector<uint64_t>& bytes, const std::vector<int>& rank_of_part, int ranks) {
    constexpr uint64_t percent = 100, most_percent = 110;
    std::vector<uint64_t> load(static_cast<size_t>(ranks));
    for (size_t part = 0; part < bytes.size(); ++part)
        load[static_cast<size_t>(rank_of_part[part])] += bytes[part];
    const uint64_t all = std::accumulate(load.begin(), load.end(), uint64_t{0});
    return std::ranges::max(load) * percent * load.size() <= all * most_percent;
}

Share share_of(const Parts& parts, const std::vector<int>& rank_of_part, int rank) {
    Share share;
    for (const uint32_t part : parts.of_process) share.processes.push_back(rank_of_part[part] == rank);
    for (const uint32_t part : parts.of_cpu) share.cpus.push_back(rank_of_part[part] == rank);
    return share;
}

}  // namespace

Parts Parts::looms(const System& system) {
    Parts parts;
    parts.count = static_cast<uint32_t>(system.looms().size());
    for (const ProcessInfo& process : system.processes()) parts.of_process.push_back(process.loom);
    for (const CpuInfo& cpu : system.cpus()) parts.of_cpu.push_back(cpu.loom);
    return parts;
}

Readers all_ranks(int ranks) {
    std::vector<int> all(static_cast<size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return [all = std::move(all)](uint32_t /*stream*/) -> const std::vector<int>& { return all; };
}

std::vector<int> deal(const Trace& trace, const System& system, const Parts& parts, int ranks,
                      const Readers& readers) {
    const std::vector<uint64_t> bytes = bytes_of_parts(trace, system, parts);
    std::vector<const std::vector<int>*> readers_of_part(parts.count);
    for (const ThreadInfo& thread : system.threads())
        readers_of_part[parts.of_process[thread.process]] = &readers(thread.stream);
    std::vector<size_t> heaviest_first(bytes.size());
    std::iota(heaviest_first.begin(), heaviest_first.end(), size_t{0});
    std::ranges::stable_sort(heaviest_first, std::greater(), [&](size_t part) { return bytes[part]; });
    std::vector<uint64_t> load(static_cast<size_t>(ranks));
    std::vector<int> rank_of_part(bytes.size());
    for (size_t part : heaviest_first) {
        auto load_of = [&](int rank) -> uint64_t& { return load[static_cast<size_t>(rank)]; };
        int least = *std::ranges::min_element(*readers_of_part[part], {}, load_of);
        load_of(least) += bytes[part];
        rank_of_part[part] = least;
    }
    return rank_of_part;
}

Share find_share(const Ranks& ranks, const Trace& trace, const System& system, const Readers& readers,
                 const OpenStream& open) {
    if (ranks.is_alone()) return Share::whole(system);
    Parts parts = Parts::looms(system);
    std::vector<int> dealt = deal(trace, system, parts, ranks.size(), readers);
    const bool can_be_divided = system.processes().size() > system.looms().size();
    if (can_be_divided && !are_balanced(bytes_of_parts(trace, system, parts), dealt, ranks.size())) {
        parts = parts_apart(system, find_cpu_uses(ranks, trace, system, readers, open));
        dealt = deal(trace, system, parts, ranks.size(), readers);
    }
    const size_t busy = std::set<int>(dealt.begin(), dealt.end()).size();
    if (ranks.is_root() && busy < static_cast<size_t>(ranks.size()))
        log::info(
            "{} of {} ranks or threads have work: the trace has {} processes, and those that share CPUs stay "
            "together (record with mpirun --bind-to core to keep them apart)",
            busy, ranks.size(), system.processes().size());
    return share_of(parts, dealt, ranks.rank());
}

}  // namespace ovni
