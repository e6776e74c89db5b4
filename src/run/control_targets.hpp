// The control sockets that ovnictl talks to.
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
    std::optional<region::SocketName> name;  // empty if the file name has another form
    bool is_named = false;                   // the user gave its path

    // "rank 3", or the path of the socket.
    std::string who() const;
};

struct Wanted {
    std::vector<std::string> places;  // sockets, directories, patterns; none: all of this user on this node
    std::string ranks;                // a list as "0,4-7"; empty: all
    std::string job;                  // a name or number; empty: all
    std::string pids;                 // a list; empty: all

    bool is_any() const { return ranks.empty() && job.empty() && pids.empty(); }
};

// Throws UsageError with the name `option` if `list` is no list such as "0,4-7".
bool is_in_list(std::string_view list, std::string_view number, std::string_view option);

// Targets in the order of job, rank and process. Throws UsageError if a place is neither socket, directory
// nor pattern.
std::vector<Target> find_targets(const Wanted& wanted);

}  // namespace ovni::run
