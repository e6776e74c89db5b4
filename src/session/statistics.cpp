#include "session/statistics.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "trace/stream_reader.hpp"

namespace ovni {

namespace {

struct Field {
    const char* name;
    uint64_t RankStatistics::*value;
};

constexpr Field statistics_fields[] = {
    {"processes", &RankStatistics::processes},
    {"streams", &RankStatistics::streams},
    {"events", &RankStatistics::events},
    {"windows", &RankStatistics::windows},
    {"records_made", &RankStatistics::records_made},
    {"records_written", &RankStatistics::records_written},
    {"bytes_written", &RankStatistics::bytes_written},
    {"collectives", &RankStatistics::collectives},
    {"messages", &RankStatistics::messages},
    {"bytes_sent", &RankStatistics::bytes_sent},
    {"collectives_in_windows", &RankStatistics::collectives_in_windows},
    {"peak_memory", &RankStatistics::peak_memory},
    {"bytes_read", &RankStatistics::bytes_read},
};

// Peak of this process so far, bytes.
uint64_t peak_memory() {
    constexpr uint64_t kib = 1024;
    struct rusage usage {};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss) * kib;
}

}  // namespace

PerRank<RankStatistics> share_statistics(const Ranks& ranks, const EmulationCost& mine) {
    const Ranks::Traffic& traffic = ranks.traffic();
    return ranks.allgather(RankStatistics{mine, traffic.collectives, traffic.messages, traffic.bytes,
                                          peak_memory(), bytes_read_of_streams(),
                                          ranks.is_first_of_process() ? 1U : 0U});
}

std::string cost_line(const PerRank<RankStatistics>& all, double seconds) {
    const uint64_t most = std::ranges::max(all, {}, &RankStatistics::peak_memory).peak_memory;
    const auto megabytes = static_cast<double>(most) * 1e-6;
    if (all.size() == 1) return fmt::format("it took {:.2f} s and {:.1f} MB", seconds, megabytes);
    if (std::ranges::count(all, 1U, &RankStatistics::is_first_of_process) == 1)
        return fmt::format("it took {:.2f} s: {} threads, {:.1f} MB", seconds, all.size(), megabytes);
    return fmt::format("it took {:.2f} s: {} ranks, at most {:.1f} MB each", seconds, all.size(), megabytes);
}

std::string statistics_as_json(const PerRank<RankStatistics>& all) {
    nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
    for (const RankStatistics& of_rank : all) {
        nlohmann::ordered_json entry;
        for (const Field& field : statistics_fields) entry[field.name] = of_rank.*field.value;
        ranks.push_back(std::move(entry));
    }
    return ranks.dump(1) + "\n";
}

}  // namespace ovni
