// What the traced process and ovnictl agree about: where sockets lie, what they are called, how long a
// message is. A message is one datagram of SOCK_SEQPACKET; the reply begins with "ok" or "err".
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

// Job or rank as it stands there: without what ends it, or what a shell takes for a pattern.
std::string socket_word(std::string_view text);

// ctl.<job>.<rank>.<pid>.sock
struct SocketName {
    std::string job;
    std::string rank;
    std::string pid;
    std::string text() const;
};

// Of this process. Job and rank are told by whoever started it; else they are "local" and 0.
SocketName socket_name();
// Nothing where it is none of ours. `name`: without directories.
std::optional<SocketName> parse_socket_name(std::string_view name);

// Of this process, in the directory that run directories lie in, which is made; where that path is too long,
// the shortest of those. Empty, with one line said, where there is none.
std::string socket_path();

// Nothing where the path is too long.
std::optional<sockaddr_un> socket_address(std::string_view path);

}  // namespace ovni::region
