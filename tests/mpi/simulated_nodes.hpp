// Nodes with clocks of their own and links with random delays, in virtual time: what a Measurement runs on in
// tests. Every node is a thread of control of its own (ucontext) in one thread; the node that is furthest
// behind in time runs next, so that a run depends on nothing but the seed.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace ovni::sync {

class SimulatedNodes {
 public:
    struct Clock {
        int64_t offset_ns = 0;
        int64_t rate_ppb = 0;
        int64_t at(int64_t time) const { return time + offset_ns + time * rate_ppb / 1'000'000'000; }
    };
    struct Delay {
        int64_t least_ns = 5'000;
        int64_t jitter_ns = 10'000;  // of most messages; some take much longer
    };
    static constexpr int64_t never = INT64_MAX;

    SimulatedNodes(int count, Delay delay, int64_t deadline, uint64_t seed)
        : delay_(delay), deadline_(deadline), random_(seed), nodes_(static_cast<size_t>(count)) {}

    Clock& clock(int node) { return at(node).clock; }
    void start_at(int node, int64_t time) { at(node).time = time; }
    // It vanishes before it sends that message.
    void dies_at_message(int node, int64_t number) { at(node).last_message = number; }

    // Nodes do so when they have heard nothing for so long.
    void give_up_after(int64_t silence) { longest_silence_ = silence; }

    // Runs `body` on every node until all have returned or died.
    void run(const std::function<void(int node)>& body) {
        body_ = body;
        current = this;
        for (size_t i = 0; i < nodes_.size(); ++i)
            if (nodes_[i].time != never) start(static_cast<int>(i));
        while (!ready_.empty()) {
            Ready next = ready_.top();
            ready_.pop();
            if (next.turn != at(next.node).turn) continue;
            running_ = next.node;
            at(running_).time = next.time;
            ::swapcontext(&scheduler_, &at(running_).context);
            if (at(running_).phase == Phase::ended) at(running_).stack.reset();
        }
        current = nullptr;
    }

    bool has_returned(int node) { return at(node).has_returned; }
    int64_t end_of(int node) { return at(node).time; }
    int64_t messages() const { return messages_; }
    // How many pairs were at work one after the other; a pair is at work from its first empty message on.
    int64_t rounds() const { return rounds_; }
    int64_t true_offset(int node, int64_t local) {
        const Clock& c = clock(node);
        int64_t elapsed = local - c.offset_ns;
        int64_t time = elapsed - elapsed * c.rate_ppb / (1'000'000'000 + c.rate_ppb);
        return clock(0).at(time) - local;
    }

    // The link that a Measurement needs, for the node that is running.
    class Link {
     public:
        Link(SimulatedNodes& nodes, int self) : nodes_(nodes), self_(self) {}
        int64_t now() noexcept { return nodes_.read_clock(self_); }
        bool send(int to, const void* data, int bytes) noexcept {
            return nodes_.send(self_, to, data, bytes);
        }
        bool has_message(int from) noexcept { return nodes_.has_message(self_, from); }
        bool receive(int from, void* data, int bytes) noexcept {
            return nodes_.receive(self_, from, data, bytes);
        }
        void rest() noexcept { nodes_.wait(self_, nap_ns); }
        bool is_over() noexcept {
            const Node& node = nodes_.at(self_);
            return node.time >= nodes_.deadline_ || node.time - node.last_heard >= nodes_.longest_silence_;
        }

     private:
        SimulatedNodes& nodes_;
        int self_;
    };

 private:
    enum class Phase { alive, ended };
    struct Message {
        int64_t arrival;
        std::string content;
    };
    struct Node {
        Clock clock;
        int64_t time = 0, last_heard = 0;
        int64_t last_message = never, sent = 0;
        int64_t turn = 0, pairs = 0;
        Phase phase = Phase::alive;
        bool has_returned = false;
        std::map<int, std::deque<Message>> inbox;
        ucontext_t context{};
        std::unique_ptr<char[]> stack;
    };
    struct Ready {
        int64_t time;
        int node;
        int64_t turn;
        bool operator<(const Ready& other) const {
            return time != other.time ? time > other.time : node > other.node;
        }
    };
    static constexpr size_t stack_size = 64 << 10;
    static constexpr int64_t clock_ns = 20, call_ns = 300, poll_ns = 2'000, nap_ns = 200'000;

    Node& at(int node) { return nodes_[static_cast<size_t>(node)]; }

    void start(int node) {
        Node& n = at(node);
        n.stack = std::make_unique<char[]>(stack_size);
        ::getcontext(&n.context);
        n.context.uc_stack.ss_sp = n.stack.get();
        n.context.uc_stack.ss_size = stack_size;
        n.context.uc_link = &scheduler_;
        ::makecontext(&n.context, &enter, 0);
        ready_.push({n.time, node, ++n.turn});
    }
    static void enter() {
        int node = current->running_;
        current->body_(node);
        current->at(node).has_returned = true;
        current->at(node).phase = Phase::ended;
    }

    // Others that are behind go first.
    void wait(int node, int64_t ns) {
        Node& n = at(node);
        ready_.push({n.time + ns, node, ++n.turn});
        ::swapcontext(&n.context, &scheduler_);
    }
    void die(int node) {
        at(node).phase = Phase::ended;
        ::swapcontext(&at(node).context, &scheduler_);
    }

    int64_t read_clock(int node) { return at(node).clock.at(at(node).time += clock_ns); }
    int64_t draw_delay() {
        int64_t delay =
            delay_.least_ns + static_cast<int64_t>(random_() % static_cast<uint64_t>(delay_.jitter_ns + 1));
        bool is_slow = delay_.jitter_ns > 0 && random_() % 20 == 0;
        return is_slow ? 20 * delay : delay;
    }
    bool send(int from, int to, const void* data, int bytes) {
        Node& sender = at(from);
        if (sender.sent++ == sender.last_message) die(from);
        ++messages_;
        if (bytes == 0) note_pair(from, to);
        auto& queue = at(to).inbox[from];
        int64_t arrival = (sender.time += call_ns) + draw_delay();
        if (!queue.empty()) arrival = std::max(arrival, queue.back().arrival + 1);
        queue.push_back({arrival, std::string(static_cast<const char*>(data), static_cast<size_t>(bytes))});
        return true;
    }
    bool has_message(int node, int from) {
        auto there = [&] {
            auto& queue = at(node).inbox[from];
            return !queue.empty() && queue.front().arrival <= at(node).time;
        };
        if (!there()) wait(node, poll_ns);
        return there();
    }
    bool receive(int node, int from, void* data, int bytes) {
        auto& queue = at(node).inbox[from];
        at(node).last_heard = at(node).time;
        std::string content = std::move(queue.front().content);
        queue.pop_front();
        if (content.size() != static_cast<size_t>(bytes)) return false;
        if (bytes > 0) std::memcpy(data, content.data(), content.size());
        return true;
    }
    void note_pair(int from, int to) {
        if (!pairs_.insert({from, to}).second) return;
        int64_t round = std::max(at(from).pairs, at(to).pairs) + 1;
        at(from).pairs = at(to).pairs = round;
        rounds_ = std::max(rounds_, round);
    }

    static inline SimulatedNodes* current = nullptr;  // for enter(), which has no arguments

    Delay delay_;
    int64_t deadline_, longest_silence_ = never;
    std::mt19937_64 random_;
    std::vector<Node> nodes_;
    std::priority_queue<Ready> ready_;
    ucontext_t scheduler_{};
    std::function<void(int)> body_;
    int running_ = -1;
    int64_t messages_ = 0, rounds_ = 0;
    std::set<std::pair<int, int>> pairs_;
};

}  // namespace ovni::sync
