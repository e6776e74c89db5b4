// Plays a synthetic trace through the engine and tells what fires, as "start(t0)@1:T0:foo
// stop(t1,bcast)@4:T1:i30#7": event, thread, place and text of the token, and after which of its
// instructions. A default start has a '*'.
//
// Tokens of thread 1: T1:foo (address foo), T1:e.f T1:x.f (enters, leaves f), T1:i30 (instructions one by
// one), T1:b30 (a block of them), T1:ssc.1122, T1:pc.name or T1:pc.name@-1 (MPI_Pcontrol with level),
// T1:cpuid.7 or T1:cpuid.7.1, T1:magic.1.2, T1:mpi.3 (number of a function), T1:slow.3.1500 (number, ns),
// T1:timeout.2 (seconds), T1:int3, T1:interactive.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ovni::region::test {

// Functions that chains may name; their places are their numbers.
std::span<const std::string_view> functions();

// The alarms that fire, or "error: ...". `threads`: slots of the engine.
std::string play(const std::vector<std::string>& chains, std::string_view trace, unsigned threads = 16);

}  // namespace ovni::region::test
