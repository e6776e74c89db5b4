// A wait is due to time that another process has spent before, somewhere in the program, and that the waiting
// process has not (D. Boehme, M. Geimer, F. Wolf, L. Arnold: Identifying the root causes of wait states in
// large-scale parallel applications, ICPP 2010).
//
// Process p waits for process q for a time W. Both were last in step at the end of a wait of one for the
// other, or at a blocking barrier, n to n or fence of both that none left before all had entered, or else at
// the end of MPI_Init. Since then q has spent more time than p in some places of the program; a place is a
// function in a region. The delay of q in a place is t_q - w_q - t_p, where w_q is its time in waits. D is
// the sum of these delays, P the time that q itself has waited since then. Each ns of D and of P is to blame
// for W / max(D + P, W). For a delay this is its short-term cost. For the waits of q it is passed on to the
// processes that q waited for, and so on, back in time, as their long-term cost.
//
// A delay in a function is divided among the lines that q called it from, by q's time in each.
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
    uint32_t process = 0, padding = 0;  // in System
    Activity activity;
    uint64_t short_term = 0, long_term = 0;  // ns, without the fractions of each wait
};

struct DelaySources {
    std::span<const Wait> waits;                 // of threads of this rank
    std::span<const CollectiveEnd> collectives;  // as find_waits() has left them
    const std::vector<ProcessTimes>& times;
    const std::vector<RegionChange>& regions;
};
// Waits of the threads that initialised MPI, for such threads. The result is on rank 0, sorted. Memory: some
// 150 bytes for a wait of this rank, and what 65536 waits of each rank need. Collective.
std::vector<DelayCost> find_delay_costs(const Ranks& ranks, const System& system, const StreamOwners& owners,
                                        const DelaySources& sources);

}  // namespace ovni
