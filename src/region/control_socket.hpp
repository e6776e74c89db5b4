// What the traced process and ovnictl agree about: where sockets lie, what they are called, how long a
// message is. A message is one datagram of SOCK_SEQPACKET; the reply begins with "ok" or "err".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ovni::region {

inline constexpr size_t longest_request = 1024, longest_reply = 60'000;  // bytes
inline constexpr size_t longest_socket_path = 107;                       // of the system

// ctl.<job>.<rank>.<pid>.sock
struct SocketName {
    std::string job;
    std::string rank;
    std::string pid;
    std::string text() const;
};

// The name of this process; job and rank are told by whoever started it, else they are "local" and 0.
SocketName socket_name();
// Nothing where it is none of ours. `name`: without directories.
std::optional<SocketName> parse_socket_name(std::string_view name);

// Of this process, beside the run directories; the directory is made. Empty where there is no place for it.
std::string socket_path();

}  // namespace ovni::region
