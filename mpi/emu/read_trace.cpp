#include "emu/read_trace.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "comm/host_names.hpp"
#include "emu/salvage_events.hpp"
#include "trace/stream_files.hpp"

namespace ovni {

namespace {

std::string pack(const nlohmann::json& json) {
    std::vector<uint8_t> packed = nlohmann::json::to_cbor(json);
    return {packed.begin(), packed.end()};
}

std::vector<std::string> find_on_root(const Comm& comm, const std::filesystem::path& directory) {
    std::string found = comm.agree([&] {
        nlohmann::json paths = nlohmann::json::array();
        if (comm.is_root())
            for (const std::string& path : find_streams(directory))
                paths.push_back(nlohmann::json::binary({path.begin(), path.end()}));
        return pack(paths);
    });
    std::vector<std::string> paths;
    for (const auto& path : nlohmann::json::from_cbor(comm.broadcast(std::move(found))))
        paths.emplace_back(path.get_binary().begin(), path.get_binary().end());
    return paths;
}

// Rank 0 has seen the streams. A directory of the same name may be there on every node and yet be another.
void expect_shared(const std::filesystem::path& directory, const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    std::filesystem::path first = directory / paths.front() / metadata_name;
    std::error_code fault;
    if (!std::filesystem::exists(first, fault))
        throw Error(fmt::format("rank 0 sees it, the node {} does not: is the directory shared by all nodes?",
                                host_name()),
                    first);
}

// Shares follow each other, so what is wrong first in the order of paths is told by the lowest rank.
std::string read_share(const Comm& comm, const EmulationOptions& options,
                       const std::vector<std::string>& paths) {
    expect_shared(options.trace, paths);
    auto rank = static_cast<size_t>(comm.rank()), ranks = static_cast<size_t>(comm.size());
    auto bytes = [](const std::string& text) { return nlohmann::json::binary({text.begin(), text.end()}); };
    nlohmann::json files = nlohmann::json::array(), missing = nlohmann::json::array();
    std::vector<Damage> damages;
    for (size_t i = rank * paths.size() / ranks; i < (rank + 1) * paths.size() / ranks; ++i) {
        std::optional<StreamFile> file =
            options.tolerance == Tolerance::none
                ? read_stream(options.trace, paths[i])
                : salvage_stream(options.trace, paths[i], options.regions, damages);
        if (file)
            files.push_back({bytes(paths[i]), bytes(file->json), file->bytes, file->is_cut, file->cpus});
    }
    for (const Damage& damage : damages)
        missing.push_back({bytes(damage.relative_path), bytes(damage.cause), damage.end.has_value(),
                           damage.end.value_or(0)});
    return pack({files, missing});
}

std::string text_of(const nlohmann::json& bytes) {
    return {bytes.get_binary().begin(), bytes.get_binary().end()};
}

}  // namespace

Trace read_trace(const Comm& comm, const EmulationOptions& options, std::vector<Damage>& damages) {
    std::vector<std::string> paths = find_on_root(comm, options.trace);
    std::string share = comm.agree([&] { return read_share(comm, options, paths); });
    PerRank<std::string> shares = comm.allgather(share);
    Trace trace = comm.agree([&] {
        std::vector<StreamFile> files;
        for (const std::string& of_rank : shares) {
            nlohmann::json json = nlohmann::json::from_cbor(of_rank);
            for (const auto& file : json[0])
                files.push_back({text_of(file[0]), text_of(file[1]), file[2], file[3], file[4]});
            for (const auto& damage : json[1]) {
                std::optional<uint64_t> end;
                if (damage[2].get<bool>()) end = damage[3].get<uint64_t>();
                damages.push_back({text_of(damage[0]), text_of(damage[1]), end});
            }
        }
        if (options.tolerance == Tolerance::none) return Trace(options.trace, files);
        return salvaged_trace(options.trace, std::move(files), options.enabled, options.breakdowns, damages);
    });
    if (options.tolerance == Tolerance::keep_going)
        salvage_events(comm, trace, dry_run_of(options), damages);
    return trace;
}

}  // namespace ovni
