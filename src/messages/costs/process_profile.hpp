// The activities of a process in a stretch of time.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "messages/scan/found_ends.hpp"
#include "messages/scan/thread_regions.hpp"

namespace ovni {

inline constexpr uint32_t outside_of_mpi = UINT32_MAX;  // in the place of a function

// A call of MPI, or what is between calls, in a region. Plain data, that ranks exchange.
struct Activity {
    uint32_t function = outside_of_mpi;  // in mpi_function_rows
    uint32_t site = 0;                   // of the call, as MpiCaller has it
    int64_t region = 0;                  // the innermost; 0: none
    auto operator<=>(const Activity&) const = default;
};

// Calls take(activity, begin, end) in the order of time, within the time of the process in MPI.
template <class Take>
void visit_profile(const ProcessTimes& times, const ThreadRegions& regions, int64_t begin, int64_t end,
                   Take take) {
    int64_t at = std::max(begin, times.begin);
    end = std::min(end, times.end);
    auto put = [&](uint32_t function, uint32_t site, int64_t from, int64_t to) {
        if (from < to)
            regions.visit(times.stream, from, to, [&](int64_t region, int64_t since, int64_t until) {
                take(Activity{function, site, region}, since, until);
            });
    };
    const CallTimes& calls = times.calls;
    for (size_t call = calls.first_not([&](size_t before) { return calls.leave(before) <= at; });
         call < calls.size() && calls.enter(call) < end; ++call) {
        put(outside_of_mpi, 0, at, calls.enter(call));
        put(calls.function(call), calls.site(call), std::max(at, calls.enter(call)),
            std::min(calls.leave(call), end));
        at = calls.leave(call);
    }
    put(outside_of_mpi, 0, at, end);
}

}  // namespace ovni
