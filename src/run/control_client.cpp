#include "run/control_client.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

#include "region/control_socket.hpp"

namespace ovni::run {

namespace {

using Clock = std::chrono::steady_clock;

// One process: from nothing over a connection to an answer.
class Conversation {
 public:
    Conversation(std::string path, const std::string& request) : path_(std::move(path)), request_(request) {}
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;
    ~Conversation() { hang_up(); }

    bool is_over() const { return answer_.has_value(); }
    Answer answer() const { return answer_.value_or(Answer{}); }
    // -1 if it is not connected.
    int descriptor() const { return descriptor_; }

    // The process may have no room yet, if many want to talk to it or it stands still: then try again.
    void connect() {
        auto address = region::socket_address(path_);
        if (!address) return end({Answer::From::system, "the path is too long for a socket"});
        descriptor_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (descriptor_ < 0) return fail();
        if (::connect(descriptor_, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
            return fail();
        // A process that refuses a client replies before it ends the connection, so EPIPE is no failure.
        if (::send(descriptor_, request_.data(), request_.size(), MSG_NOSIGNAL) < 0 && errno != EPIPE) fail();
    }

    void receive() {
        std::string text(region::longest_reply, '\0');
        ssize_t size = ::recv(descriptor_, text.data(), text.size(), MSG_DONTWAIT);
        if (size < 0) return fail();
        if (size == 0) return end({Answer::From::system, "the process has closed the connection"});
        text.resize(static_cast<size_t>(size));
        end({Answer::From::process, std::move(text)});
    }

 private:
    void fail() {
        switch (errno) {
            case EAGAIN:
            case EINTR:
            case EMFILE:
                return hang_up();
            // It has lost its socket, and makes it again; or it ended at this moment.
            case ECONNRESET:
                refusals_allowed_ = 10;
                return hang_up();
            case ECONNREFUSED:
            case ENOENT:
                if (refusals_allowed_-- > 0) return hang_up();
                return end({Answer::From::nobody, ""});
            default:
                return end({Answer::From::system, std::strerror(errno)});
        }
    }
    void end(Answer answer) {
        answer_ = std::move(answer);
        hang_up();
    }
    void hang_up() {
        if (descriptor_ >= 0) ::close(descriptor_);
        descriptor_ = -1;
    }

    std::string path_;
    const std::string& request_;
    int descriptor_ = -1;
    int refusals_allowed_ = 0;
    std::optional<Answer> answer_;
};

// Until one of them has something for us, or it is worth trying again to connect.
void wait_for(std::deque<Conversation>& all, Clock::time_point end) {
    constexpr std::chrono::milliseconds between_attempts{10};
    std::vector<pollfd> polled;
    std::vector<Conversation*> polled_for;
    bool wants_connection = false;
    for (Conversation& one : all) {
        if (one.is_over()) continue;
        wants_connection = wants_connection || one.descriptor() < 0;
        if (one.descriptor() < 0) continue;
        polled.push_back({one.descriptor(), POLLIN, 0});
        polled_for.push_back(&one);
    }
    auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    left = std::max(left, std::chrono::milliseconds(0));
    if (wants_connection) left = std::min(left, between_attempts);
    if (::poll(polled.data(), polled.size(), static_cast<int>(left.count())) <= 0) return;
    for (size_t i = 0; i < polled.size(); ++i)
        if (polled[i].revents != 0) polled_for[i]->receive();
}

}  // namespace

std::vector<Answer> ask(const std::vector<std::filesystem::path>& sockets, const std::string& request,
                        std::chrono::milliseconds timeout) {
    Clock::time_point end = Clock::now() + timeout;
    std::deque<Conversation> all;
    for (const auto& socket : sockets) all.emplace_back(socket.string(), request);
    auto is_over = [](const Conversation& one) { return one.is_over(); };
    do {
        for (Conversation& one : all)
            if (!one.is_over() && one.descriptor() < 0) one.connect();
        if (!std::ranges::all_of(all, is_over)) wait_for(all, end);
    } while (!std::ranges::all_of(all, is_over) && Clock::now() < end);
    std::vector<Answer> answers(all.size());
    std::ranges::transform(all, answers.begin(), &Conversation::answer);
    return answers;
}

}  // namespace ovni::run
