// Tables that sum up what each stream says: --mpi, --callsites, --counters, --locks, --regions.
#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/log.hpp"
#include "emu/plan/system.hpp"
#include "emu/plan/worlds.hpp"
#include "source/call_sites.hpp"
#include "tools/text_output.hpp"
#include "tools/top/counter_profile.hpp"
#include "tools/top/lock_profile.hpp"
#include "tools/top/mpi_profile.hpp"
#include "tools/top/opened_trace.hpp"
#include "tools/top/region_profile.hpp"
#include "tools/top/tables.hpp"

namespace ovni {

namespace {

// The status: 1 if there are damaged streams.
template <class Profile>
int print_profile(const Trace& trace, Profile profile,
                  void (Profile::*print)(TextOutput&) const = &Profile::print) {
    int status = 0;
    for (uint32_t i = 0; i < trace.streams().size(); ++i) {
        try {
            profile.add(trace.streams()[i], trace.reader(i, 0, ClockOrder::any));
        } catch (const Error& e) {
            log::error("{}", e.what());
            status = 1;
        }
    }
    TextOutput out;
    (profile.*print)(out);
    const bool has_rows = std::ranges::count(out.text(), '\n') > 1;
    out.flush();
    if (!has_rows) log::info("{}", Profile::nothing);
    return status;
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

int print_calls(const TracePart& part) {
    const Trace trace = open_for_table(part);
    warn_about_missing_ranks_of(trace);
    const CallSites none;
    return print_profile(trace, MpiProfile(none));
}

int print_call_sites(const TracePart& part) {
    const Trace trace = open_for_table(part);
    warn_about_missing_ranks_of(trace);
    const CallSites sites(trace, resolve(code_places(trace)));
    return print_profile(trace, MpiProfile(sites), &MpiProfile::print_sites);
}

template <class Profile>
int print_sums(const TracePart& part) {
    return print_profile(open_for_table(part), Profile());
}

}  // namespace

const TopTable mpi_table = {
    {"mpi", "", "", "",
     R"(Count calls of MPI instead: the functions of all ranks and of each rank, with calls, time in them, bytes sent
     or written, and bytes received or read.)"},
    print_calls};

const TopTable call_site_table = {
    {"callsites", "", "", "",
     R"(With --mpi: a row for each place of the program that calls a function, with its function and line. Without debug
     information (-g) it is an address, or only the function is known.)"},
    print_call_sites,
    nullptr,
    "mpi"};

const TopTable counter_table = {
    {"counters", "", "", "",
     R"(Print instead what was counted (ovnirun --counters): of all ranks and of each rank, by function of MPI, region,
     construct of OpenMP, wait and thread, the time, instructions per cycle, frequency, and the sums of all counters.)"},
    print_sums<CounterProfile>};

const TopTable lock_table = {
    {"locks", "", "", "",
     R"(Sum waits in POSIX threads instead: by object, for all processes and each, with the number of waits, their time,
     the longest, and the threads that had the object when a wait began.)"},
    print_sums<LockProfile>};

const TopTable region_table = {
    {"regions", "", "", "",
     R"(Sum regions of MPI_Pcontrol instead: of all ranks and of each rank, with the number of visits, the time in them
     and the time without the regions inside. Last come the ranks that were there, and the least, mean and longest of
     their times.)"},
    print_sums<RegionProfile>};

}  // namespace ovni
