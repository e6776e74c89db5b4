// The control socket for ovnictl, and its clients. The server never waits for a client: one that does not
// receive its reply is dropped. If there are most_clients and another one connects, the one idle for longest
// is dropped after a while. Used by one thread.
#pragma once

#include <poll.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "region/own_descriptor.hpp"

namespace ovni::region {

class ControlServer {
 public:
    static constexpr size_t most_clients = 16;
    static constexpr size_t most_polled = most_clients + 1;
    using Answer = void (*)(std::string_view words, std::string& reply) noexcept;

    constexpr ControlServer() = default;

    // Replaces a socket at that path, which a dead process with an equal pid has left. False with errno.
    bool listen(const std::string& path) noexcept;
    bool is_listening() const noexcept { return path_.has_value(); }

    // The descriptors to poll, the first `count` of `polled`, and the time to poll until (CLOCK_MONOTONIC).
    struct Watched {
        size_t count;
        uint64_t until;
    };
    Watched watch(std::span<pollfd, most_polled> polled) noexcept;
    // Answers at most one request of each client.
    void serve(std::span<const pollfd> polled, Answer answer) noexcept;

    // Removes the socket's name, once. Any thread.
    void unlink() noexcept;
    void close() noexcept;

 private:
    struct Client {
        OwnDescriptor socket;
        uint64_t heard = 0;  // CLOCK_MONOTONIC
    };

    bool open() noexcept;
    Client& idlest() noexcept;
    uint64_t accepts_from() noexcept;
    void accept() noexcept;
    void admit(OwnDescriptor socket) noexcept;
    void receive(Client& client, Answer answer) noexcept;

    std::optional<std::string> path_;  // not a plain string: see EventLog::name_
    std::atomic<bool> is_linked_{false};
    uid_t owner_ = 0;
    OwnDescriptor socket_;
    uint64_t rests_until_ = 0;  // accepts no clients until then, because the system has no descriptor left
    std::array<Client, most_clients> clients_;
};

}  // namespace ovni::region
