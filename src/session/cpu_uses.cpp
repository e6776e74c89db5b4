#include "session/cpu_uses.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "emu/payload.hpp"

namespace ovni {

namespace {

// The uses that events of one rank's streams tell.
class UseFinder {
 public:
    explicit UseFinder(const System& system) : system_(system) {}

    void read(uint32_t stream, const OpenStream& open) {
        process_ = system_.process_of_stream(stream);
        try {
            StreamReader reader = open(stream);
            for (bool more = reader.next(); more;) {
                if (reader.event().kind != EventView::Kind::event) return use_any();
                more = reader.is_plain() ? take_many(reader) : take_one(reader);
            }
        } catch (const Error&) {
            // Emulation tells what is wrong.
            use_any();
        }
    }
    std::vector<CpuUse> found() const {
        std::vector<CpuUse> uses;
        for (const auto& [process, cpu] : uses_) uses.push_back({process, cpu});
        return uses;
    }

 private:
    // Both return false at the end of the stream.
    bool take_one(StreamReader& reader) {
        take(reader.event());
        return reader.next();
    }
    bool take_many(StreamReader& reader) {
        constexpr auto all = std::numeric_limits<uint64_t>::max();
        EventView event = reader.event();
        return reader.take(std::numeric_limits<int64_t>::max(), all, all,
                           [&](int64_t, uint64_t, const uint8_t* bytes) {
                               event.bytes = bytes;
                               event.code = EventCode::from_bytes(bytes + OVNI_FORMAT_CODE_AT);
                               take(event);
                           });
    }
    void take(const EventView& event) {
        if (event.code == execute || event.code == move_itself) {
            use(process_, argument<int32_t>(event, 0));
        } else if (event.code == move_other) {
            const auto index = argument<int32_t>(event, 0);
            const auto tid = argument<int32_t>(event, sizeof(int32_t));
            use(process_, index);
            const uint32_t moved = system_.find_thread(process_, tid);
            if (moved != System::no_thread) use(system_.threads()[moved].process, index);
        }
    }
    void use(uint32_t process, int index) {
        const uint32_t cpu = system_.find_cpu(system_.processes()[process_].loom, index);
        if (cpu == System::no_cpu) return use_any();
        uses_.insert({process, cpu});
    }
    void use_any() {
        for (uint32_t p = loom().first_process; p < loom().first_process + loom().process_count; ++p)
            uses_.insert({p, loom().first_cpu});
    }
    const LoomInfo& loom() const { return system_.looms()[system_.processes()[process_].loom]; }

    static constexpr EventCode execute = "OHx", move_itself = "OAs", move_other = "OAr";

    const System& system_;
    uint32_t process_ = 0;
    std::set<std::pair<uint32_t, uint32_t>> uses_;
};

}  // namespace

std::vector<CpuUse> find_cpu_uses(const Ranks& ranks, const Trace& trace, const System& system,
                                  const Readers& readers, const OpenStream& open) {
    std::vector<CpuUse> mine = ranks.agree([&] {
        UseFinder finder(system);
        for (uint32_t s = 0; s < trace.streams().size(); ++s) {
            if (system.thread_of_stream(s) == System::no_thread) continue;
            // A process that is alone in its loom shares nothing.
            if (system.looms()[system.processes()[system.process_of_stream(s)].loom].process_count == 1)
                continue;
            const std::vector<int>& able = readers(s);
            if (able[s % able.size()] == ranks.rank()) finder.read(s, open);
        }
        return finder.found();
    });
    std::vector<CpuUse> all;
    for (const auto& of_rank : ranks.allgather(mine)) all.insert(all.end(), of_rank.begin(), of_rank.end());
    return all;
}

Parts parts_apart(const System& system, const std::vector<CpuUse>& uses) {
    // A process leads to an earlier one of its part; the first of a part leads to itself.
    std::vector<uint32_t> earlier(system.processes().size());
    std::iota(earlier.begin(), earlier.end(), 0u);
    auto first_of = [&](uint32_t process) {
        while (earlier[process] != process) process = earlier[process] = earlier[earlier[process]];
        return process;
    };
    std::vector<uint32_t> user(system.cpus().size(), System::no_thread);
    for (const CpuUse& use : uses) {
        uint32_t& known = user[use.cpu];
        if (known == System::no_thread) known = use.process;
        const uint32_t a = first_of(known), b = first_of(use.process);
        earlier[std::max(a, b)] = std::min(a, b);
    }
    Parts parts;
    for (uint32_t process = 0; process < earlier.size(); ++process)
        parts.of_process.push_back(earlier[process] == process ? parts.count++
                                                               : parts.of_process[first_of(process)]);
    for (uint32_t cpu = 0; cpu < user.size(); ++cpu) {
        const bool is_used = user[cpu] != System::no_thread;
        parts.of_cpu.push_back(
            parts.of_process[is_used ? user[cpu] : system.looms()[system.cpus()[cpu].loom].first_process]);
    }
    return parts;
}

}  // namespace ovni
