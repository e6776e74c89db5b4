#include "region/control_server.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "region/control_socket.hpp"
#include "ring/session.hpp"

namespace ovni::region {
namespace {

constexpr int flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
constexpr uint64_t rest = 1'000'000'000, patience = 100'000'000;

bool send(int descriptor, std::string_view text) noexcept {
    return ::send(descriptor, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

bool may_ask(int descriptor, uid_t owner) noexcept {
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == owner || peer.uid == 0);
}

// Empty if the request is no line of printable letters.
std::string_view words_in(std::string_view request) noexcept {
    auto is_blank = [](char letter) { return letter == ' ' || letter == '\n' || letter == '\0'; };
    while (!request.empty() && is_blank(request.front())) request.remove_prefix(1);
    while (!request.empty() && is_blank(request.back())) request.remove_suffix(1);
    bool is_text = std::ranges::all_of(request, [](char letter) { return letter >= ' ' && letter <= '~'; });
    return is_text ? request : std::string_view();
}

std::string reply_to(std::string_view request, ControlServer::Answer answer) noexcept {
    if (request.size() > longest_request) return "err the request is too long";
    std::string_view words = words_in(request);
    if (words.empty()) return "err no command";
    std::string reply;
    if (answer) answer(words, reply);
    if (reply.empty()) reply = "err commands are not accepted";
    if (reply.size() > longest_reply) reply.replace(longest_reply - 3, reply.npos, "...");
    return reply;
}

}  // namespace

bool ControlServer::listen(const std::string& path) noexcept {
    owner_ = ::geteuid();
    path_ = path;
    if (open()) return true;
    path_.reset();
    return false;
}

// The socket appears under its name once clients can connect.
bool ControlServer::open() noexcept {
    if (!path_ || path_->empty()) return errno = ENOENT, false;
    std::string unready = *path_;
    unready.back() = '~';
    auto address = socket_address(unready);
    if (!address) return errno = ENAMETOOLONG, false;
    OwnDescriptor made(::socket(AF_UNIX, SOCK_SEQPACKET | flags, 0));
    int descriptor = made.get();
    if (descriptor < 0) return false;
    ::unlink(unready.c_str());
    if (::bind(descriptor, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0) return false;
    bool is_ready = ::chmod(unready.c_str(), 0600) == 0 && ::listen(descriptor, SOMAXCONN) == 0 &&
                    ::rename(unready.c_str(), path_->c_str()) == 0;
    if (!is_ready) {
        int error = errno;
        ::unlink(unready.c_str());
        errno = error;
        return false;
    }
    is_linked_.store(true);
    socket_ = std::move(made);
    return true;
}

ControlServer::Client& ControlServer::idlest() noexcept {
    auto since = [](const Client& client) { return client.socket.get() < 0 ? 0 : client.heard; };
    return *std::ranges::min_element(clients_, {}, since);
}

uint64_t ControlServer::accepts_from() noexcept {
    const Client& next = idlest();
    return std::max(rests_until_, next.socket.get() < 0 ? 0 : next.heard + patience);
}

ControlServer::Watched ControlServer::watch(std::span<pollfd, most_polled> polled) noexcept {
    Watched watched{0, std::numeric_limits<uint64_t>::max()};
    if (!is_listening()) return watched;
    auto add = [&](const OwnDescriptor& socket) {
        if (int descriptor = socket.get(); descriptor >= 0) polled[watched.count++] = {descriptor, POLLIN, 0};
    };
    uint64_t now = writer::monotonic_clock();
    if (now >= rests_until_ && socket_.get() < 0 && !open()) rests_until_ = now + rest;
    if (uint64_t from = accepts_from(); now >= from)
        add(socket_);
    else
        watched.until = from;
    for (const Client& client : clients_) add(client.socket);
    return watched;
}

void ControlServer::serve(std::span<const pollfd> polled, Answer answer) noexcept {
    auto has_come = [&](const OwnDescriptor& socket) {
        int descriptor = socket.get();
        return descriptor >= 0 && std::ranges::any_of(polled, [=](const pollfd& one) {
                   return one.fd == descriptor && one.revents != 0;
               });
    };
    for (Client& client : clients_)
        if (has_come(client.socket)) receive(client, answer);
    if (has_come(socket_)) accept();
}

void ControlServer::accept() noexcept {
    for (uint64_t now = writer::monotonic_clock(); now >= accepts_from();) {
        int descriptor = socket_.get();
        if (descriptor >= 0) descriptor = ::accept4(descriptor, nullptr, nullptr, flags);
        if (descriptor < 0) {
            bool is_short = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
            if (is_short) rests_until_ = now + rest;
            return;
        }
        admit(OwnDescriptor(descriptor));
    }
}

void ControlServer::admit(OwnDescriptor socket) noexcept {
    int descriptor = socket.get();
    if (descriptor < 0) return;
    if (may_ask(descriptor, owner_)) return void(idlest() = {std::move(socket), writer::monotonic_clock()});
    // A connection that ends with unread bytes would lose our reply.
    char request[longest_request];
    while (::recv(descriptor, request, sizeof request, MSG_DONTWAIT) > 0) continue;
    send(descriptor, "err this process is not yours");
}

void ControlServer::receive(Client& client, Answer answer) noexcept {
    char request[longest_request + 1];
    int descriptor = client.socket.get();
    ssize_t size = ::recv(descriptor, request, sizeof request, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size <= 0) return client.socket.close();
    client.heard = writer::monotonic_clock();
    if (!send(descriptor, reply_to({request, static_cast<size_t>(size)}, answer))) client.socket.close();
}

void ControlServer::unlink() noexcept {
    if (is_linked_.exchange(false)) ::unlink(path_->c_str());
}

void ControlServer::close() noexcept {
    socket_.close();
    for (Client& client : clients_) client.socket.close();
}

}  // namespace ovni::region
