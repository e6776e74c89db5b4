// The parts in which a trace is dealt to ranks: looms; or, if looms are too unequal for the ranks, those
// processes of a loom that have CPUs to themselves. All ranks compute equal results.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/ranks.hpp"
#include "emu/plan/share.hpp"
#include "emu/plan/start.hpp"
#include "emu/plan/system.hpp"

namespace ovni {

struct Parts {
    uint32_t count = 0;
    std::vector<uint32_t> of_process, of_cpu;

    static Parts looms(const System& system);
};

// The ranks that can read a stream.
using Readers = std::function<const std::vector<int>&(uint32_t stream)>;

// Every rank can read all streams.
Readers all_ranks(int ranks);

// The rank of each part: heaviest parts first, each goes to the rank that has least to do of those that can
// read its streams. The weight of a part is the size of its streams in bytes.
std::vector<int> deal(const Trace& trace, const System& system, const Parts& parts, int ranks,
                      const Readers& readers);

// The share of this rank. Looms are divided only if that balances the ranks, because streams must be read to
// find processes that share a CPU: `open` opens them. Collective; throws Error.
Share find_share(const Ranks& ranks, const Trace& trace, const System& system, const Readers& readers,
                 const OpenStream& open);

// The whole trace on rank 0, nothing on others: for work that has to see all events.
Share share_of_root(const Ranks& ranks, const System& system);

}  // namespace ovni
