// The socket that ovnictl talks to, and those who do. Nobody waits for a client: who does not take a reply is
// dropped, and where there are most_clients and more want to come, the one that has said nothing for longest
// has to go, after a while. Used by one thread.
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

    // Takes the place of whatever has that path, which is of a process with our number. False with errno.
    bool listen(const std::string& path) noexcept;
    bool is_listening() const noexcept { return path_.has_value(); }

    // What to wait for, in so many places of `polled`, and until when at most (CLOCK_MONOTONIC).
    struct Watched {
        size_t count;
        uint64_t until;
    };
    Watched watch(std::span<pollfd, most_polled> polled) noexcept;
    // What has come there: at most one request of each client.
    void serve(std::span<const pollfd> polled, Answer answer) noexcept;

    // The name is gone once, whoever asks for it.
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
    void hear(Client& client, Answer answer) noexcept;

    std::optional<std::string> path_;  // not a plain string: see EventLog::name_
    std::atomic<bool> is_linked_{false};
    uid_t owner_ = 0;
    OwnDescriptor socket_;
    uint64_t rests_until_ = 0;  // where the system has no descriptor for us
    std::array<Client, most_clients> clients_;
};

}  // namespace ovni::region
