// Tables that sum up what each stream says: --mpi, --callsites, --counters, --locks, --regions.
#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/log.hpp"
#include "emu/plan/system.hpp"
#include "emu/plan/worlds.hpp"
#include "source/call_sites.hpp"
#include "tools/top/counter_profile.hpp"
#include "tools/top/lock_profile.hpp"
#include "tools/top/mpi_profile.hpp"
#include "tools/top/opened_trace.hpp"
#include "tools/top/region_profile.hpp"
#include "tools/top/tables.hpp"

namespace ovni {

namespace {

template <class Profile>
MadeTables sum_up(const Trace& trace, Profile profile,
                  std::vector<DataTable> (Profile::*tables)() const = &Profile::tables) {
    MadeTables made;
    for (uint32_t i = 0; i < trace.streams().size(); ++i) {
        try {
            profile.add(trace.streams()[i], trace.reader(i, 0, ClockOrder::any));
        } catch (const Error& e) {
            log::error("{}", e.what());
            made.status = 1;
        }
    }
    made.tables = (profile.*tables)();
    const auto has_rows = [](const DataTable& table) { return !table.rows.empty(); };
    if (std::ranges::none_of(made.tables, has_rows)) log::info("{}", Profile::nothing);
    return made;
}

// Calls can be counted even if they are of two runs.
void warn_about_missing_ranks_of(const Trace& trace) {
    std::optional<System> system;
    try {
        const log::Silence of_its_objects;
        system.emplace(trace);
    } catch (const Error& e) {
        return log::warn("{}", e.what());
    }
    warn_about_missing_ranks(*system);
}

MadeTables sum_up_calls(const TracePart& part) {
    const Trace trace = open_for_table(part);
    warn_about_missing_ranks_of(trace);
    const CallSites none;
    return sum_up(trace, MpiProfile(none));
}

MadeTables sum_up_call_sites(const TracePart& part) {
    const Trace trace = open_for_table(part);
    warn_about_missing_ranks_of(trace);
    const CallSites sites(trace, resolve(code_places(trace)));
    return sum_up(trace, MpiProfile(sites), &MpiProfile::tables_of_sites);
}

template <class Profile>
MadeTables sum_up_streams(const TracePart& part) {
    return sum_up(open_for_table(part), Profile());
}

}  // namespace

const TopTable mpi_table = {
    {"mpi", "", "", "",
     R"(Count calls of MPI instead: the functions of all ranks and of each rank, with calls, time in them, its share in
     the time of these ranks (from their first event to the last), bytes sent or written, and bytes received or
     read.)"},
    sum_up_calls};

const TopTable call_site_table = {
    {"callsites", "", "", "",
     R"(With --mpi: a row for each place of the program that calls a function, with its function and line. With another
     table: these rows behind it. Without debug information (-g) a place is an address, or only the function is known.)"},
    sum_up_call_sites,
    nullptr,
    "mpi"};

const TopTable counter_table = {
    {"counters", "", "", "",
     R"(Print instead what was counted (ovnirun --counters): of all ranks and of each rank, by function of MPI, region,
     construct of OpenMP, wait and thread, the time, instructions per cycle, frequency, and the sums of all counters.)"},
    sum_up_streams<CounterProfile>};

const TopTable lock_table = {
    {"locks", "", "", "",
     R"(Sum waits in POSIX threads instead: by object, for all processes and each, with the number of waits, their time,
     its share in the time of all threads of these processes, the longest, the lines that waited, and the threads that
     had the object when a wait began.)"},
    sum_up_streams<LockProfile>};

const TopTable region_table = {
    {"regions", "", "", "",
     R"(Sum regions of MPI_Pcontrol instead: of all ranks and of each rank, with the number of visits, the time in them,
     its share in the time of these ranks, and the time without the regions inside. Last come the ranks that were
     there, and the least, mean and longest of their times.)"},
    sum_up_streams<RegionProfile>};

}  // namespace ovni
