// The activity of a process in a stretch of time, in pieces of one function and one region.
#pragma once

#include <algorithm>
#include <cstdint>

#include "messages/scan/found_ends.hpp"
#include "messages/scan/thread_regions.hpp"

namespace ovni {

inline constexpr uint32_t outside_of_mpi = UINT32_MAX;  // in the place of a function

// Calls take(function, region, begin, end) in the order of time, within the time of the process in MPI.
template <class Take>
void visit_profile(const ProcessTimes& times, const ThreadRegions& regions, int64_t begin, int64_t end,
                   Take take) {
    int64_t at = std::max(begin, times.begin);
    end = std::min(end, times.end);
    auto put = [&](uint32_t function, int64_t from, int64_t to) {
        if (from < to)
            regions.visit(times.stream, from, to, [&](int64_t region, int64_t since, int64_t until) {
                take(function, region, since, until);
            });
    };
    const CallTimes& calls = times.calls;
    for (size_t call = calls.first_not([&](size_t before) { return calls.leave(before) <= at; });
         call < calls.size() && calls.enter(call) < end; ++call) {
        put(outside_of_mpi, at, calls.enter(call));
        put(calls.function(call), std::max(at, calls.enter(call)), std::min(calls.leave(call), end));
        at = calls.leave(call);
    }
    put(outside_of_mpi, at, end);
}

}  // namespace ovni
