#include "emu/worlds.hpp"

#include <algorithm>

namespace ovni {

namespace {

// Applications of one world have different ranks.
bool takes(const World& world, const World& application) {
    return world.size == application.size &&
           std::ranges::none_of(application.processes,
                                [&](const auto& rank) { return world.processes.contains(rank.first); });
}

}  // namespace

std::vector<World> worlds(const System& system) {
    std::map<int, World> applications;
    for (uint32_t p = 0; p < system.processes().size(); ++p) {
        const ProcessInfo& process = system.processes()[p];
        if (!process.rank) continue;
        World& application = applications[process.app_id];
        application.first_application = process.app_id;
        application.size = std::max(application.size, *process.nranks);
        application.processes.emplace(*process.rank, p);
    }
    std::vector<World> worlds;
    for (auto& [app, application] : applications) {
        auto known =
            std::ranges::find_if(worlds, [&](const World& world) { return takes(world, application); });
        if (known == worlds.end())
            worlds.push_back(std::move(application));
        else
            known->processes.merge(application.processes);
    }
    return worlds;
}

}  // namespace ovni
