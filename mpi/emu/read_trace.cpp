#include "emu/read_trace.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "comm/host_names.hpp"
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
std::string read_share(const Comm& comm, const std::filesystem::path& directory,
                       const std::vector<std::string>& paths) {
    expect_shared(directory, paths);
    auto rank = static_cast<size_t>(comm.rank()), ranks = static_cast<size_t>(comm.size());
    nlohmann::json files = nlohmann::json::array();
    for (size_t i = rank * paths.size() / ranks; i < (rank + 1) * paths.size() / ranks; ++i) {
        StreamFile file = read_stream(directory, paths[i]);
        files.push_back({nlohmann::json::binary({file.json.begin(), file.json.end()}), file.bytes});
    }
    return pack(files);
}

}  // namespace

Trace read_trace(const Comm& comm, const std::filesystem::path& directory) {
    std::vector<std::string> paths = find_on_root(comm, directory);
    std::string share = comm.agree([&] { return read_share(comm, directory, paths); });
    PerRank<std::string> shares = comm.allgather(share);
    return comm.agree([&] {
        std::vector<StreamFile> files;
        for (const std::string& of_rank : shares)
            for (const auto& file : nlohmann::json::from_cbor(of_rank)) {
                const auto& json = file[0].get_binary();
                files.push_back({paths[files.size()], std::string(json.begin(), json.end()), file[1]});
            }
        return Trace(directory, files);
    });
}

}  // namespace ovni
