#include "session/deal/parts.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "base/log.hpp"
#include "session/deal/cpu_uses.hpp"

namespace ovni {

namespace {

std::vector<uint64_t> bytes_of_parts(const Trace& trace, const System& system, const Parts& parts) {
    std::vector<uint64_t> bytes(parts.count);
    for (const ThreadInfo& thread : system.threads())
        bytes[parts.of_process[thread.process]] += trace.streams()[thread.stream].bytes;
    return bytes;
}

std::vector<uint64_t> loads(const std::vector<uint64_t>& bytes, const std::vector<int>& rank_of_part,
                            int ranks) {
    std::vector<uint64_t> load(static_cast<size_t>(ranks));
    for (size_t part = 0; part < bytes.size(); ++part)
        load[static_cast<size_t>(rank_of_part[part])] += bytes[part];
    return load;
}

// Parts, and the rank of each.
struct Dealt {
    Parts parts;
    std::vector<int> rank_of_part;
    std::vector<uint64_t> load;  // by rank, in bytes

    uint64_t heaviest() const { return std::ranges::max(load); }
    // False if one rank has so much more than the mean that the others wait for it.
    bool is_balanced() const {
        constexpr uint64_t percent = 100, most_percent = 110;
        const uint64_t all = std::accumulate(load.begin(), load.end(), uint64_t{0});
        return heaviest() * percent * load.size() <= all * most_percent;
    }
    int rank_of(uint32_t process) const { return rank_of_part[parts.of_process[process]]; }
};

// Finds the share of one rank, from large parts to small ones.
class ShareFinder {
 public:
    ShareFinder(const Ranks& ranks, const Trace& trace, const System& system, const Readers& readers,
                const OpenStream& open)
        : ranks_(ranks),
          trace_(trace),
          system_(system),
          readers_(readers),
          open_(open),
          dealt_(deal_parts(Parts::looms(system))) {}

    // Processes that share CPUs stay together.
    void divide_looms() {
        if (dealt_.is_balanced() || system_.processes().size() == system_.looms().size()) return;
        dealt_ = deal_parts(parts_apart(system_, find_cpu_uses(ranks_, trace_, system_, readers_, open_)));
        share_cpus_ = !dealt_.is_balanced() && dealt_.parts.count < system_.processes().size();
    }
    void report_idle_ranks() const {
        const size_t busy = std::set<int>(dealt_.rank_of_part.begin(), dealt_.rank_of_part.end()).size();
        if (!ranks_.is_root() || busy == static_cast<size_t>(ranks_.size())) return;
        log::info("{} of {} ranks or threads have work: the trace has {} processes{}", busy, ranks_.size(),
                  system_.processes().size(),
                  share_cpus_
                      ? ", and those that share CPUs stay together (record with mpirun --bind-to core "
                        "to keep them apart)"
                      : "");
    }
    Share share() {
        Share share;
        for (uint32_t p = 0; p < system_.processes().size(); ++p)
            share.processes.push_back(dealt_.rank_of(p) == ranks_.rank());
        for (const uint32_t part : dealt_.parts.of_cpu)
            share.cpus.push_back(dealt_.rank_of_part[part] == ranks_.rank());
        return share;
    }

 private:
    Dealt deal_parts(Parts parts) const {
        Dealt dealt;
        dealt.rank_of_part = deal(trace_, system_, parts, ranks_.size(), readers_);
        dealt.load = loads(bytes_of_parts(trace_, system_, parts), dealt.rank_of_part, ranks_.size());
        dealt.parts = std::move(parts);
        return dealt;
    }
    const Ranks& ranks_;
    const Trace& trace_;
    const System& system_;
    const Readers& readers_;
    const OpenStream& open_;
    Dealt dealt_;
    bool share_cpus_ = false;  // some processes, which would better be on several ranks
};

}  // namespace

Parts Parts::looms(const System& system) {
    Parts parts;
    parts.count = static_cast<uint32_t>(system.looms().size());
    for (const ProcessInfo& process : system.processes()) parts.of_process.push_back(process.loom);
    for (const CpuInfo& cpu : system.cpus()) parts.of_cpu.push_back(cpu.loom);
    return parts;
}

Share share_of_root(const Ranks& ranks, const System& system) {
    Share share = Share::whole(system);
    if (!ranks.is_root()) {
        share.processes.assign(share.processes.size(), false);
        share.cpus.assign(share.cpus.size(), false);
    } else if (!ranks.is_alone()) {
        log::info("1 of {} ranks or threads have work: all events have one order with --exact-order",
                  ranks.size());
    }
    return share;
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
    ShareFinder finder(ranks, trace, system, readers, open);
    finder.divide_looms();
    finder.report_idle_ranks();
    return finder.share();
}

}  // namespace ovni
