#include "tests/bench/activity.hpp"

#include <algorithm>

namespace ovni::bench {

namespace {

constexpr Region marks[] = {
    {"OM[", "OM]", 1}, {"OM[", "OM]", 2}, {"OM[", "OM]", 3}, {"OM[", "OM]", 4},
    {"OM[", "OM]", 5}, {"OM[", "OM]", 6}, {"OM[", "OM]", 7}, {"OM[", "OM]", 8},
};
static_assert(std::size(marks) == mark_values);

constexpr Region mpi_functions[] = {
    {"MS[", "MS]"}, {"MR[", "MR]"}, {"Ms[", "Ms]"}, {"Mr[", "Mr]"}, {"MW[", "MW]"}, {"MWa", "MWA"},
    {"MT[", "MT]"}, {"MCb", "MCB"}, {"MDb", "MDB"}, {"MDs", "MDS"}, {"ME[", "ME]"}, {"MAr", "MAR"},
};

constexpr Region nosv_subsystems[] = {
    {"VSh", "VSf"}, {"VU[", "VU]"}, {"VMa", "VMA"}, {"VMf", "VMF"}, {"VAr", "VAR"}, {"VAd", "VAD"},
    {"VAs", "VAS"}, {"VAp", "VAP"}, {"VAy", "VAY"}, {"VAw", "VAW"}, {"VAc", "VAC"}, {"VAl", "VAL"},
};
constexpr TaskEvents nosv_tasks = {"VYc", "VTc", "VTx", "VTe", "VTp", "VTr", TaskPayload::id_and_body};

constexpr Region nanos6_subsystems[] = {
    {"6W[", "6W]"}, {"6C[", "6C]"}, {"6U[", "6U]"}, {"6F[", "6F]"}, {"6Ma", "6MA"}, {"6Mf", "6MF"},
    {"6Dr", "6DR"}, {"6Du", "6DU"}, {"6S[", "6S]"}, {"6Sa", "6SA"}, {"6Bb", "6BB"}, {"6Bw", "6BW"},
};
constexpr TaskEvents nanos6_tasks = {"6Yc", "6Tc", "6Tx", "6Te", "6Tp", "6Tr", TaskPayload::id};

constexpr Region openmp_subsystems[] = {
    {"PBb", "PBB"}, {"PBj", "PBJ"}, {"PBf", "PBF"}, {"PIa", "PIA"}, {"PI[", "PI]"}, {"PWd", "PWD"},
    {"PWs", "PWS"}, {"PTa", "PTA"}, {"PTc", "PTC"}, {"PT[", "PT]"}, {"PTs", "PTS"}, {"PMi", "PMI"},
};

constexpr Activity activities[] = {
    {"ovni", "1.1.0", marks},
    {"mpi", "1.0.0", mpi_functions},
    {"nosv", "2.7.0", nosv_subsystems, &nosv_tasks},
    {"nanos6", "1.1.0", nanos6_subsystems, &nanos6_tasks},
    {"openmp", "1.2.1", openmp_subsystems},
};

}  // namespace

std::span<const Activity> all_activities() {
    return activities;
}

const Activity* find_activity(std::string_view model) {
    const Activity* found = std::ranges::find(activities, model, &Activity::model);
    return found == std::end(activities) ? nullptr : found;
}

}  // namespace ovni::bench
