#include "messages/match/read_ends.hpp"

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "core/semver.hpp"
#include "emu/plan/worlds.hpp"
#include "messages/stuck/open_trace.hpp"
#include "ovni/mpi_events.h"
#include "trace/merger.hpp"

namespace ovni {

std::vector<ProcessFacts> facts_of_processes(const System& system) {
    std::vector<ProcessFacts> facts(system.processes().size());
    for (uint32_t p = 0; p < facts.size(); ++p) facts[p].process = p;
    uint32_t number = 0;
    for (const World& world : worlds(system)) {
        for (auto [rank, process] : world.processes) facts[process] = {process, number, rank, world.size};
        ++number;
    }
    return facts;
}

void add_member_lists(const ProcessCommunicators& communicators, const ProcessFacts& process,
                      std::vector<MemberList>& lists) {
    for (const auto& [number, known] : communicators.all()) {
        // Rank 0 lists the members, unless they are those of the world.
        const bool is_listed =
            !known.members.empty() || (known.rank == 0 && (known.flags & OVNI_MPI_OF_WORLD) != 0);
        if (number > OVNI_MPI_SELF && is_listed)
            lists.push_back(
                {known.id, known.flags, known.size, process.world, process.process, known.members});
    }
}

namespace {

// The streams of a process that tell of MPI.
std::vector<uint32_t> mpi_streams(const Trace& trace, const System& system, uint32_t process) {
    const ProcessInfo& info = system.processes()[process];
    std::vector<uint32_t> streams;
    for (uint32_t t = 0; t < info.thread_count; ++t) {
        const uint32_t s = system.threads()[info.first_thread + t].stream;
        if (trace.streams()[s].is_readable() && uses_mpi(trace.streams()[s])) streams.push_back(s);
    }
    return streams;
}

bool begins_inside(const Trace& trace, const std::vector<StreamReader>& readers) {
    return std::ranges::any_of(readers, [&](const StreamReader& reader) {
        return trace.streams()[reader.index()].metadata.begins_inside;
    });
}

bool have_account(const Trace& trace, const std::vector<StreamReader>& readers) {
    const auto since = parse_version(OVNI_MPI_VERSION_OF_PAUSES);
    return std::ranges::any_of(readers, [&](const StreamReader& reader) {
        const auto& require = trace.streams()[reader.index()].metadata.common->require;
        const auto model = require.find("mpi");
        const auto version = model == require.end() ? std::nullopt : parse_version(model->second);
        return version && *version >= *since;
    });
}

uint64_t gaps_of(const ProcessMessages& process) {
    using Recorded = ProcessMessages::Recorded;
    if (process.recorded() == Recorded::all) return 0;
    if (process.recorded() == Recorded::but_gaps)
        return GapsOfProcess::losses | (process.has_lost() ? 0u : GapsOfProcess::only_cut);
    return GapsOfProcess::pauses | (process.is_finalized() ? 0u : GapsOfProcess::ends_in_doubt);
}

// Returns what is wrong with the streams.
std::vector<std::string> read(std::vector<StreamReader> readers, ProcessMessages& process,
                              ObjectCalls& objects) {
    Merger merger(std::move(readers));
    std::vector<std::string> damages;
    for (;;) {
        try {
            const EventView* event = merger.next();
            if (!event) return damages;
            process.take(*event);
            objects.take(*event);
        } catch (const Error& e) {
            damages.emplace_back(e.what());
        }
    }
}

// A group of processes and its records.
struct GroupOfProcesses {
    std::vector<ProcessFacts> processes;
    MessageEnds found;
    std::vector<MemberList> members;
    std::vector<uint64_t> gaps;  // by place in `processes`
    std::vector<std::string> damages;
};

void read_group(const Trace& trace, const System& system, const OpenStream& open, GroupOfProcesses& group) {
    for (const ProcessFacts& facts : group.processes) {
        std::vector<StreamReader> readers;
        for (uint32_t s : mpi_streams(trace, system, facts.process)) readers.push_back(open(s));
        if (readers.empty()) {
            group.gaps.push_back(GapsOfProcess::without_events);
            continue;
        }
        ProcessMessages process(facts, group.found);
        if (begins_inside(trace, readers)) process.begin_inside();
        if (have_account(trace, readers)) process.expect_account();
        ObjectCalls objects({facts.process, facts.world}, process.communicators(), group.found.objects);
        std::vector<std::string> damages = read(std::move(readers), process, objects);
        process.finish();
        group.gaps.push_back(damages.empty() ? gaps_of(process) : GapsOfProcess::losses);
        std::ranges::move(damages, std::back_inserter(group.damages));
        add_member_lists(process.communicators(), facts, group.members);
    }
}

// Processes that stand together in the trace, some groups for each thread, as they take unequal time.
std::vector<GroupOfProcesses> groups_of(const std::vector<ProcessFacts>& processes, size_t threads) {
    constexpr size_t groups_of_thread = 4;
    const size_t most = threads == 1 ? 1 : threads * groups_of_thread;
    std::vector<GroupOfProcesses> groups(std::min(most, processes.size()));
    for (size_t p = 0; p < processes.size(); ++p)
        groups[p * groups.size() / processes.size()].processes.push_back(processes[p]);
    return groups;
}

}  // namespace

ReadEnds read_ends(const Trace& trace, const System& system, const std::vector<bool>& mine,
                   const OpenStream& open, size_t threads) {
    std::vector<ProcessFacts> processes;
    for (const ProcessFacts& facts : facts_of_processes(system)) {
        const ProcessInfo& info = system.processes()[facts.process];
        if (mine[facts.process] && info.rank) processes.push_back(facts);
    }
    std::vector<GroupOfProcesses> groups = groups_of(processes, threads);
    for_each_in_parallel(threads, groups.size(),
                         [&](size_t g) { read_group(trace, system, open, groups[g]); });
    ReadEnds all;
    all.gaps.resize(system.processes().size());
    for (GroupOfProcesses& group : groups) {
        for (size_t p = 0; p < group.processes.size(); ++p)
            all.gaps[group.processes[p].process] = group.gaps[p];
        std::ranges::move(group.members, std::back_inserter(all.members));
        std::ranges::move(group.damages, std::back_inserter(all.damages));
        all.found.push_back(std::move(group.found));
    }
    return all;
}

}  // namespace ovni
