// The protocol between the traced process and ovnictl: places and names of sockets, lengths of messages. A
// message is one datagram of SOCK_SEQPACKET; the reply begins with "ok" or "err".
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ovni::region {

inline constexpr size_t longest_request = 1024, longest_reply = 60'000;  // bytes
inline constexpr size_t longest_socket_path = sizeof(sockaddr_un::sun_path) - 1;

// A job or rank as part of the name: without letters that would end that part, or that are patterns in a
// shell.
std::string socket_word(std::string_view text);

// ctl.<job>.<rank>.<pid>.sock
struct SocketName {
    std::string job;
    std::string rank;
    std::string pid;
    std::string text() const;
};

// The name of this process's socket. Job and rank come from the launcher's environment; without a launcher
// they are "local" and 0.
SocketName socket_name();
// Empty if it is no name of a control socket. `name`: without directories.
std::optional<SocketName> parse_socket_name(std::string_view name);

// The path of this process's socket, in the directory of run directories, which is made. If that path is too
// long, the shortest of the possible directories is used. Empty, after one message, if none is short enough.
std::string socket_path();

// Empty if the path is too long.
std::optional<sockaddr_un> socket_address(std::string_view path);

}  // namespace ovni::region
