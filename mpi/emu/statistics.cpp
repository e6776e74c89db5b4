#include "mpi/emu/statistics.hpp"

#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "base/file.hpp"

namespace ovni {

namespace {

struct Field {
    const char* name;
    uint64_t RankStatistics::*value;
};

constexpr Field fields[] = {
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
};

// Peak of this process so far, bytes.
uint64_t peak_memory() {
    constexpr uint64_t kib = 1024;
    struct rusage usage {};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss) * kib;
}

RankStatistics statistics_of(const Comm& comm, const EmulationCost& cost) {
    const Ranks::Traffic& traffic = comm.traffic();
    return {cost, traffic.collectives, traffic.messages, traffic.bytes, peak_memory()};
}

}  // namespace

void write_statistics(const Comm& comm, const EmulationCost& mine, const std::filesystem::path& path) {
    PerRank<RankStatistics> all = comm.allgather(statistics_of(comm, mine));
    comm.agree([&] {
        if (!comm.is_root()) return;
        nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
        for (const RankStatistics& of_rank : all) {
            nlohmann::ordered_json entry;
            for (const Field& field : fields) entry[field.name] = of_rank.*field.value;
            ranks.push_back(std::move(entry));
        }
        write_file(path, ranks.dump(1) + "\n");
    });
}

}  // namespace ovni
