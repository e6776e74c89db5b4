#include "emu/plan/worlds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"

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

std::vector<MissingRanks> missing_ranks(const System& system) {
    std::vector<MissingRanks> found;
    if (system.lacks_threads()) return found;
    for (const World& world : worlds(system)) {
        auto wanted = static_cast<size_t>(world.size);
        if (wanted <= world.processes.size()) continue;
        int first = 0;
        while (world.processes.contains(first)) ++first;
        found.push_back({world.first_application, wanted - world.processes.size(), wanted, first});
    }
    return found;
}

std::string sentence(const MissingRanks& missing) {
    return fmt::format("{} of {} ranks of application {} have no stream, the first is rank {}",
                       missing.missing, missing.ranks, missing.application, missing.first);
}

void warn_about_missing_ranks(const System& system) {
    for (const MissingRanks& missing : missing_ranks(system))
        log::warn(
            "{} (started without ovnirun? killed? nothing recorded by --control? or is the trace directory "
            "not shared by all nodes?)",
            sentence(missing));
}

}  // namespace ovni
