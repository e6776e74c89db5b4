// Waits are due to the time that others spent before, somewhere in the program, while those who wait later
// did not (D. Boehme, M. Geimer, F. Wolf, L. Arnold: Identifying the root causes of wait states in
// large-scale parallel applications, ICPP 2010).
//
// A wait of length W of process p for process q is looked at from the last time that both were in step: the
// end of a wait of one for the other, or a blocking barrier, n to n or fence of both that none left before
// all had entered. Since then q has spent more time than p in some places of the program, which are functions
// in regions: t_q - w_q - t_p, where w_q is time in waits. These are its delays; their sum is D. And q itself
// has waited, for P in all. Each ns of both is to blame for W / max(D + P, W): delays have so much as their
// short-term cost, and for q's own waits it is passed on to those that q waited for, and so on, back in time,
// as long-term cost.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ranks.hpp"
#include "emu/plan/system.hpp"
#include "messages/costs/process_profile.hpp"
#include "messages/waits/find_waits.hpp"

namespace ovni {

// Costs of the delays of a process in one place. Plain data.
struct DelayCost {
    uint32_t process = 0;                    // in System
    uint32_t function = outside_of_mpi;      // in mpi_function_rows
    int64_t region = 0;                      // the innermost; 0: none
    uint64_t short_term = 0, long_term = 0;  // ns, without the fractions of each wait
};

struct DelaySources {
    std::span<const Wait> waits;                 // of threads of this rank
    std::span<const CollectiveEnd> collectives;  // as find_waits() has left them
    const std::vector<ProcessTimes>& times;
    const std::vector<RegionChange>& regions;
};
// Waits of the threads that initialised MPI, for such threads; runs of failed tests are left out. The result
// is on rank 0, sorted. Memory: some 150 bytes for a wait of this rank, and what 65536 waits of each rank
// need. Collective.
std::vector<DelayCost> find_delay_costs(const Ranks& ranks, const System& system, const StreamOwners& owners,
                                        const DelaySources& sources);

}  // namespace ovni
