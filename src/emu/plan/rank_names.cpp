#include "emu/plan/rank_names.hpp"

#include <fmt/format.h>

#include "emu/plan/worlds.hpp"

namespace ovni {

RankNames::RankNames(const System& system) : system_(system), has_worlds_(worlds(system).size() > 1) {}

std::string RankNames::full(uint32_t process) const {
    return (system_.processes()[process].rank ? "rank " : "") + brief(process);
}

std::string RankNames::brief(uint32_t process) const {
    const ProcessInfo& one = system_.processes()[process];
    if (!one.rank) return fmt::format("pid {}", one.pid);
    return has_worlds_ ? fmt::format("{}.{}", one.app_id, *one.rank) : fmt::format("{}", *one.rank);
}

}  // namespace ovni
