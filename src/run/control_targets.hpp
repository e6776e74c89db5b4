// Which control sockets ovnictl talks to.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "region/control_socket.hpp"

namespace ovni::run {

struct Target {
    std::filesystem::path path;
    std::optional<region::SocketName> name;  // none where the user named a socket that is called otherwise
    bool is_named = false;                   // the user gave its path

    // "rank 3", or its path.
    std::string who() const;
};

struct Wanted {
    std::vector<std::string> places;  // sockets, directories, patterns; none: all of this user on this node
    std::string ranks;                // a list as "0,4-7"; empty: all
    std::string job;                  // the same
    std::string pids;                 // a list

    bool is_any() const { return ranks.empty() && job.empty() && pids.empty(); }
};

// A list as "0,4-7": throws UsageError where it is none. `option`: what to call it.
bool is_in_list(std::string_view list, std::string_view number, std::string_view option);

// In the order of job, rank and process. Throws UsageError where a place is nothing of that.
std::vector<Target> find_targets(const Wanted& wanted);

}  // namespace ovni::run
