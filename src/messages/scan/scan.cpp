#include "messages/scan/scan.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "calls/call_reader.hpp"
#include "core/semver.hpp"
#include "messages/scan/call_recorder.hpp"
#include "messages/scan/main_thread.hpp"
#include "messages/scan/object_calls.hpp"
#include "messages/scan/process_ends.hpp"
#include "ovni/mpi_events.h"
#include "ovni/pthread_events.h"

namespace ovni {

namespace {

bool requires_model(const Stream& stream, const char* model) {
    return stream.metadata.common->require.contains(model);
}

bool has_waits(const Stream& stream) {
    return requires_model(stream, OVNI_PTHREAD_MODEL);
}

// True if the process records what pauses leave out.
bool has_account(const Stream& stream) {
    const auto& require = stream.metadata.common->require;
    const auto model = require.find("mpi");
    const auto version = model == require.end() ? std::nullopt : parse_version(model->second);
    return version && *version >= *parse_version(OVNI_MPI_VERSION_OF_PAUSES);
}

uint64_t gaps_of(const ProcessEnds& ends, bool is_finalizing) {
    using Recorded = ProcessEnds::Recorded;
    if (ends.recorded() == Recorded::all) return 0;
    if (ends.recorded() == Recorded::but_gaps)
        return GapsOfProcess::losses | (ends.has_lost() ? 0u : GapsOfProcess::only_cut);
    return GapsOfProcess::pauses | (is_finalizing ? 0u : GapsOfProcess::ends_in_doubt);
}

// A group of processes that stand together in the trace, and all that was found of them.
struct Group {
    std::vector<ProcessFacts> processes;
    MessageEnds ends;
    Scanned others;  // all but ends
};

// Reads the streams of one process.
class ProcessScan {
 public:
    ProcessScan(const Trace& trace, const System& system, const ScannedPart& part, const ScanFor& wanted,
                const OpenStream& open, const ProcessFacts& facts, Group& group)
        : trace_(trace),
          sites_(part.sites),
          info_(system.processes()[facts.process]),
          wanted_(wanted),
          open_(open),
          facts_(facts),
          group_(group),
          recorder_(group.others.timeline.calls),
          waits_(tids_of(system)) {
        for (uint32_t t = 0; t < info_.thread_count; ++t) {
            const uint32_t s = system.threads()[info_.first_thread + t].stream;
            const Stream& stream = trace.streams()[s];
            if (stream.is_readable()) (uses_mpi(stream) ? of_mpi_ : others_).push_back(s);
        }
    }

    // Returns GapsOfProcess.
    uint64_t read() {
        const bool has_mpi = !of_mpi_.empty();
        // A stream need not say which models it has if the emulator is to take all of them.
        if (!has_mpi && wanted_.timeline) of_mpi_.swap(others_);
        uint64_t gaps = read_mpi();
        if (has_ends() && !has_mpi) gaps = GapsOfProcess::without_events;
        for (const uint32_t stream : others_) read_other(stream);
        if (wanted_.open_waits)
            std::ranges::copy_if(waits_.open(), std::back_inserter(group_.others.open_waits),
                                 [&](const OpenWait& wait) { return has_end(wait.stream); });
        return gaps;
    }

 private:
    std::map<uint32_t, int> tids_of(const System& system) const {
        std::map<uint32_t, int> tids;
        for (uint32_t t = 0; t < info_.thread_count; ++t) {
            const ThreadInfo& thread = system.threads()[info_.first_thread + t];
            tids[thread.stream] = thread.tid;
        }
        return tids;
    }
    bool has_ends() const { return wanted_.messages && info_.rank; }
    bool has_timeline() const { return wanted_.timeline && info_.rank; }
    bool has_end(uint32_t stream) const { return trace_.streams()[stream].metadata.end.has_value(); }
    template <class Has>
    bool any_of_mpi(Has has) const {
        return std::ranges::any_of(of_mpi_, [&](uint32_t s) { return has(trace_.streams()[s]); });
    }

    std::vector<StreamReader> open(const std::vector<uint32_t>& streams) {
        std::vector<StreamReader> readers;
        for (const uint32_t s : streams) {
            try {
                readers.push_back(open_(s));
            } catch (const Error& e) {
                group_.others.damages.insert(e.what());
            }
        }
        return readers;
    }

    // Returns whether all could be read.
    bool read(const std::vector<uint32_t>& streams, CallReader& reader) {
        std::vector<StreamReader> readers = open(streams);
        const bool is_open = readers.size() == streams.size();
        const std::vector<std::string> damages = ovni::read(std::move(readers), reader);
        group_.others.damages.insert(damages.begin(), damages.end());
        if (wanted_.timeline)
            for (size_t t = 0; t < reader.thread_count(); ++t)
                group_.others.timeline.last_clock =
                    std::max(group_.others.timeline.last_clock, reader.thread(t).until);
        return is_open && damages.empty();
    }

    uint64_t read_mpi() {
        std::optional<ProcessEnds> ends;
        std::optional<MainThread> main;
        std::optional<ObjectCalls> objects;
        CommunicatorUses uses(facts_.process, group_.others.timeline.uses, group_.others.timeline.init);
        std::vector<CallConsumer*> consumers;
        if (has_ends() && any_of_mpi(uses_mpi))
            consumers = {
                &ends.emplace(facts_, group_.ends), &main.emplace(facts_, group_.ends),
                &objects.emplace(ObjectCalls::CallingProcess{facts_.process, facts_.world,
                                                             static_cast<uint32_t>(facts_.world_size)},
                                 group_.ends.objects)};
        if (has_timeline()) consumers.insert(consumers.end(), {&recorder_, &uses});
        if (wanted_.open_waits && any_of_mpi(has_waits)) consumers.push_back(&waits_);
        const bool has_open_calls = wanted_.open_calls && any_of_mpi(uses_mpi);
        if (of_mpi_.empty() || (consumers.empty() && !has_open_calls && !wanted_.timeline)) return 0;
        const bool begins_inside =
            any_of_mpi([](const Stream& stream) { return stream.metadata.begins_inside; });
        if (ends && begins_inside) {
            ends->begin_inside();
            objects->begin_inside();
        }
        CallReader reader(std::move(consumers));
        if (any_of_mpi(has_account)) reader.expect_account();
        reader.know_sites(sites_);
        const bool is_whole = read(of_mpi_, reader);
        if (has_ends() || has_timeline())
            add_member_lists(reader.communicators(), facts_, group_.others.members);
        if (has_open_calls)
            group_.others.open_calls.push_back(end_of_process(facts_.process, reader, begins_inside));
        if (!ends) return 0;
        return is_whole ? gaps_of(*ends, reader.is_finalizing()) : GapsOfProcess::losses;
    }

    // Reads a stream without events of MPI, which need not be ordered with the others.
    void read_other(uint32_t stream) {
        CommunicatorUses uses(facts_.process, group_.others.timeline.uses, group_.others.timeline.init);
        std::vector<CallConsumer*> consumers;
        if (has_timeline()) consumers = {&recorder_, &uses};
        if (wanted_.open_waits && has_waits(trace_.streams()[stream])) consumers.push_back(&waits_);
        if (consumers.empty() && !wanted_.timeline) return;
        CallReader reader(std::move(consumers));
        read({stream}, reader);
    }

    const Trace& trace_;
    const std::span<const MpiSites> sites_;
    const ProcessInfo& info_;
    const ScanFor& wanted_;
    const OpenStream& open_;
    const ProcessFacts& facts_;
    Group& group_;
    CallRecorder recorder_;
    ProcessWaits waits_;
    std::vector<uint32_t> of_mpi_, others_;
};

// Some groups for each thread, as they take unequal time.
std::vector<Group> groups_of(const std::vector<ProcessFacts>& processes, size_t threads) {
    constexpr size_t groups_of_thread = 4;
    const size_t most = threads == 1 ? 1 : threads * groups_of_thread;
    std::vector<Group> groups(std::min(most, processes.size()));
    for (size_t p = 0; p < processes.size(); ++p)
        groups[p * groups.size() / processes.size()].processes.push_back(processes[p]);
    return groups;
}

template <class Item>
void move_behind(std::vector<Item>& from, std::vector<Item>& to) {
    std::ranges::move(from, std::back_inserter(to));
}

// The emulation reports damage.
int64_t last_clock_of(uint32_t stream, const OpenStream& open) {
    int64_t last = 0;
    try {
        StreamReader reader = open(stream);
        while (reader.next()) last = std::max(last, reader.event().clock);
    } catch (const Error&) {
        return last;
    }
    return last;
}

void put_together(Group& group, Scanned& all) {
    all.ends.push_back(std::move(group.ends));
    Scanned& more = group.others;
    move_behind(more.members, all.members);
    move_behind(more.open_calls, all.open_calls);
    move_behind(more.open_waits, all.open_waits);
    move_behind(more.timeline.init, all.timeline.init);
    move_behind(more.timeline.uses, all.timeline.uses);
    all.timeline.calls.merge(more.timeline.calls);
    all.timeline.last_clock = std::max(all.timeline.last_clock, more.timeline.last_clock);
    all.damages.merge(more.damages);
}

}  // namespace

Scanned scan(const Trace& trace, const System& system, const ScannedPart& part, const ScanFor& wanted,
             const OpenStream& open) {
    Scanned all;
    all.gaps.resize(system.processes().size());
    if (wanted.is_nothing()) return all;
    std::vector<ProcessFacts> processes;
    for (const ProcessFacts& facts : facts_of_processes(system))
        if (part.processes[facts.process]) processes.push_back(facts);
    std::vector<Group> groups = groups_of(processes, part.threads);
    for_each_in_parallel(part.threads, groups.size(), [&](size_t g) {
        for (const ProcessFacts& facts : groups[g].processes)
            all.gaps[facts.process] = ProcessScan(trace, system, part, wanted, open, facts, groups[g]).read();
    });
    for (Group& group : groups) put_together(group, all);
    std::ranges::sort(all.open_waits, {}, &OpenWait::stream);
    if (wanted.timeline)
        for (const uint32_t stray : part.strays)
            all.timeline.last_clock = std::max(all.timeline.last_clock, last_clock_of(stray, open));
    return all;
}

bool uses_mpi(const Stream& stream) {
    return requires_model(stream, "mpi");
}

bool may_have_messages(const Trace& trace) {
    return std::ranges::any_of(trace.streams(), [](const Stream& stream) {
        return stream.metadata.common->run && uses_mpi(stream);
    });
}

bool may_have_open_calls(const Trace& trace) {
    return std::ranges::any_of(trace.streams(),
                               [](const Stream& stream) { return stream.metadata.end && uses_mpi(stream); });
}

bool may_have_open_waits(const Trace& trace) {
    return std::ranges::any_of(trace.streams(),
                               [](const Stream& stream) { return stream.metadata.end && has_waits(stream); });
}

}  // namespace ovni
