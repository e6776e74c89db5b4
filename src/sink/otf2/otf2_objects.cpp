#include "sink/otf2/otf2_objects.hpp"

#include "messages/scan/object_calls.hpp"
#include "sink/object_names.hpp"

namespace ovni {

Otf2Objects::Otf2Objects(const Ranks& ranks, const Otf2Communicators& communicators,
                         const std::vector<ObjectFacts>& mine) {
    for (const ObjectFacts& facts : all_object_facts(ranks, mine)) add(facts, communicators);
}

// A name that some process knows is that of all.
void Otf2Objects::add(const ObjectFacts& facts, const Otf2Communicators& communicators) {
    const bool is_window = facts.key.kind == static_cast<int32_t>(ObjectKind::window);
    std::vector<Object>& all = is_window ? windows_ : files_;
    const auto [known, is_new] = numbers_.emplace(facts.key, static_cast<uint32_t>(all.size()));
    if (is_new)
        all.push_back(
            {"", communicators.number_of(facts.key.communicator, facts.process, facts.process), false});
    Object& object = all[known->second];
    if (object.name.empty()) object.name = facts.name;
    object.is_made |= facts.is_made != 0;
}

}  // namespace ovni
