#include "session/deal/cpu_uses.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "trace/event_search.hpp"

namespace ovni {

namespace {

// Finds the uses of CPUs in the events of one rank's streams.
class UseFinder {
 public:
    explicit UseFinder(const System& system) : system_(system) {}

    // The first event shows where a thread starts. Later events are read only if their bytes may show
    // something new.
    enum class Extent { start, whole };
    void read(uint32_t stream, Extent extent, const OpenStream& open) {
        process_ = system_.process_of_stream(stream);
        try {
            StreamReader reader = open(stream);
            // A block at a time, so that a file is not opened for each of many bytes that only look like
            // news.
            uint64_t certain = largest_block;
            // Events of sorted regions do not come as they lie in the file.
            const bool can_search = reader.is_plain() && !reader.sorts();
            for (bool more = reader.next(); more; more = reader.next()) {
                const EventView& event = reader.event();
                if (can_search && event.offset > certain) {
                    const auto next = find_new(reader.path(), event.offset);
                    if (!next) return;
                    certain = *next + largest_block;
                }
                if (event.kind != EventView::Kind::event || !take(event)) return use_any();
                if (extent == Extent::start) return;
            }
        } catch (const Error&) {
            // The emulation reports what is wrong.
            use_any();
        }
    }
    std::vector<CpuUse> found() const {
        std::vector<CpuUse> uses;
        for (const auto& [process, cpu] : uses_) uses.push_back({process, cpu});
        return uses;
    }

 private:
    // The offset of the next bytes that, as an event, would show something new.
    std::optional<uint64_t> find_new(const std::string& path, uint64_t from) const {
        return search_event(path, largest_block, from, {execute, move_itself, move_other},
                            [&](std::span<const uint8_t> bytes) { return !is_known(bytes); });
    }
    bool is_known(std::span<const uint8_t> bytes) const {
        const auto code = EventCode::from_bytes(bytes.data() + OVNI_FORMAT_CODE_AT);
        if (bytes.size() < OVNI_FORMAT_EVENT_HEADER + size_of_arguments(code)) return true;
        const Use use = use_in(code, bytes.subspan(OVNI_FORMAT_EVENT_HEADER));
        // The emulation refuses such an event. A part without the other process would report another cause.
        if (use.cpu == System::no_cpu) return use.other == process_;
        return uses_.contains({process_, use.cpu}) && uses_.contains({use.other, use.cpu});
    }
    // Returns false if the event is not as it should be.
    bool take(const EventView& event) {
        if (event.code != execute && event.code != move_itself && event.code != move_other) return true;
        if (event.payload().size() < size_of_arguments(event.code)) return false;
        const Use use = use_in(event.code, event.payload());
        if (use.cpu == System::no_cpu) return false;
        uses_.insert({process_, use.cpu});
        uses_.insert({use.other, use.cpu});
        return true;
    }
    // The use in an event. `other`: the process that the event moves, or its own process.
    struct Use {
        uint32_t cpu, other;
    };
    Use use_in(EventCode code, std::span<const uint8_t> payload) const {
        const auto argument = [&](size_t i) {
            return static_cast<int32_t>(ovni_format_load_u32(payload.data() + i * sizeof(int32_t)));
        };
        const uint32_t cpu = system_.find_cpu(system_.processes()[process_].loom, argument(0));
        if (code != move_other) return {cpu, process_};
        const uint32_t moved = system_.find_thread(process_, argument(1));
        return {cpu, moved == System::no_thread ? process_ : system_.threads()[moved].process};
    }
    static size_t size_of_arguments(EventCode code) { return (code == move_other ? 2 : 1) * sizeof(int32_t); }
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

constexpr uint32_t no_process = 0xffffffff;

// `user`: a process that has used each CPU, or none. `first_of`: the first process of the part that a process
// belongs to.
template <class FirstOf>
Parts make_parts(const System& system, const std::vector<uint32_t>& user, FirstOf first_of) {
    Parts parts;
    for (uint32_t process = 0; process < system.processes().size(); ++process) {
        const uint32_t first = first_of(process);
        parts.of_process.push_back(first == process ? parts.count++ : parts.of_process[first]);
    }
    for (uint32_t cpu = 0; cpu < user.size(); ++cpu) {
        const bool is_used = user[cpu] != no_process;
        parts.of_cpu.push_back(
            parts.of_process[is_used ? user[cpu] : system.looms()[system.cpus()[cpu].loom].first_process]);
    }
    return parts;
}

}  // namespace

std::vector<CpuUse> find_cpu_uses(const Ranks& ranks, const Trace& trace, const System& system,
                                  const Readers& readers, const OpenStream& open) {
    UseFinder finder(system);
    std::vector<bool> is_known;
    // A process that is alone in its loom shares nothing.
    for (const LoomInfo& loom : system.looms()) is_known.push_back(loom.process_count == 1);
    const auto find = [&](UseFinder::Extent extent) {
        const std::vector<CpuUse> mine = ranks.agree([&] {
            for (uint32_t s = 0; s < trace.streams().size(); ++s) {
                if (system.thread_of_stream(s) == System::no_thread) continue;
                if (is_known[system.processes()[system.process_of_stream(s)].loom]) continue;
                const std::vector<int>& able = readers(s);
                if (able[s % able.size()] == ranks.rank()) finder.read(s, extent, open);
            }
            return finder.found();
        });
        std::vector<CpuUse> all;
        for (const auto& of_rank : ranks.allgather(mine))
            all.insert(all.end(), of_rank.begin(), of_rank.end());
        return all;
    };
    // If the starts make a whole loom one part, a search could join no more processes of it.
    const Parts at_start = parts_apart(system, find(UseFinder::Extent::start));
    for (size_t l = 0; l < is_known.size(); ++l) {
        const LoomInfo& loom = system.looms()[l];
        const auto part = at_start.of_process.begin() + loom.first_process;
        if (std::all_of(part, part + loom.process_count, [&](uint32_t other) { return other == *part; }))
            is_known[l] = true;
    }
    return find(UseFinder::Extent::whole);
}

Parts parts_apart(const System& system, const std::vector<CpuUse>& uses) {
    // A process leads to an earlier one of its part; the first of a part leads to itself.
    std::vector<uint32_t> earlier(system.processes().size());
    std::iota(earlier.begin(), earlier.end(), 0u);
    auto first_of = [&](uint32_t process) {
        while (earlier[process] != process) process = earlier[process] = earlier[earlier[process]];
        return process;
    };
    std::vector<uint32_t> user(system.cpus().size(), no_process);
    for (const CpuUse& use : uses) {
        uint32_t& known = user[use.cpu];
        if (known == no_process) known = use.process;
        const uint32_t a = first_of(known), b = first_of(use.process);
        earlier[std::max(a, b)] = std::min(a, b);
    }
    return make_parts(system, user, first_of);
}

}  // namespace ovni
