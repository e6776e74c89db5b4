// Names of windows and files, as the processes of all ranks know them.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/wire.hpp"
#include "messages/traffic_rows.hpp"

namespace ovni {

inline auto fields(ObjectKey& key) {
    return std::tie(key.communicator, key.scope, key.turn, key.kind, key.process);
}
inline auto fields(ObjectFacts& facts) {
    return std::tie(facts.key, facts.name, facts.process, facts.rank, facts.is_made);
}

// Alike on all ranks, by key and process. Collective.
inline std::vector<ObjectFacts> all_object_facts(const Ranks& ranks, const std::vector<ObjectFacts>& mine) {
    std::vector<ObjectFacts> all = wire::allgather(ranks, mine);
    std::ranges::sort(all, {}, [](const ObjectFacts& facts) { return std::tie(facts.key, facts.process); });
    return all;
}

}  // namespace ovni
