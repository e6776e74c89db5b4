// The measurement among all nodes: each learns how far its clock is behind that of node 0.
//
// Up to `most_in_star` nodes, node 0 measures all others, a burst of each in turn. Above, nodes form a
// binomial tree: in round r (from 0) the nodes below 2^r, which know their own offset by then, measure the
// nodes 2^r above them, all at once; there are ceil(log2(nodes)) rounds, and between a node and node 0 lie as
// many links as its number has bits set. Offsets and bounds add up along the way. A node that is late, or
// stops answering, delays only the nodes behind it.
//
// The messages themselves are those of a Link, so that one algorithm serves ovnisync, the tracing library
// (which cannot link with MPI and gives up after some time) and tests that only count. Messages between two
// nodes keep their order. Nothing else is needed: no memory, no exceptions.
//     int64_t now() noexcept;                                     ns of the clock in question
//     bool send(int node, const void* data, int bytes) noexcept;  false: given up
//     bool has_message(int node) noexcept;
//     bool receive(int node, void* data, int bytes) noexcept;     one that is there; false: of another length
//     void rest() noexcept;                                       for a moment
//     bool is_over() noexcept;                                    it is time to give up
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "mpi/sync/estimate.hpp"

namespace ovni::sync {

struct Effort {
    // During a burst of this length (3 ms), a clock moves by up to 0.1 us against another one (30 ppm). A
    // burst in which ranks share a core with something else does not spoil other bursts.
    int exchanges = 100;  // of a burst
    int bursts = 10;      // per node, at most
    // A node that does not answer for so long during a burst is given up.
    int64_t patience_ns = 250'000'000;
    // The time for the bursts of all links that lie one after the other. Each link has an equal share; when
    // that is used up, the exchanges so far count, at least one.
    int64_t budget_ns = INT64_MAX;
};

constexpr int most_in_star = 16;

// The number of links that lie one after the other, if all nodes come in time.
constexpr int rounds(int nodes) noexcept {
    int rounds = 0;
    for (int reach = 1; reach < nodes; reach *= 2) ++rounds;
    return nodes <= most_in_star ? nodes - 1 : rounds;
}

// The greatest power of 2 that is not above `number`, which is above 0.
constexpr int highest_power_in(int number) noexcept {
    int power = 1;
    while (power <= number / 2) power *= 2;
    return power;
}

// The node that measures `node`, which is not 0. Its number is lower.
constexpr int reference_of(int node, int nodes) noexcept {
    return nodes <= most_in_star ? 0 : node - highest_power_in(node);
}

// The number of links between a node and node 0.
constexpr int links_to(int node, int nodes) noexcept {
    int links = 0;
    for (; node > 0; node = reference_of(node, nodes)) ++links;
    return links;
}

// Called for every exchange on the node that measures: the node, the number of its exchange, the time stamps.
struct NoWitness {
    void operator()(int /*node*/, int64_t /*sample*/, const Exchange& /*exchange*/) const noexcept {}
};

template <class Link, class Witness = NoWitness>
class Measurement {
 public:
    Measurement(Link& link, int node, int nodes, Effort effort, Witness witness = {}) noexcept
        : link_(link), node_(node), nodes_(nodes), effort_(effort), witness_(witness) {}

    // Call on all nodes. Empty if this node got no estimate, because another node did not answer.
    std::optional<Estimate> run() noexcept {
        Estimate own{link_.now(), 0, 0, 0, 0, 0};
        if (node_ > 0 && !serve(own)) return std::nullopt;
        measure_others(own);
        return own;
    }

 private:
    enum class Greeting : int32_t { here, gone };
    enum class Phase { absent, present, over };
    struct Other {
        int node = 0;
        Phase phase = Phase::absent;
        BestBurst best;
        int64_t spent_ns = 0;  // on its bursts
    };
    static constexpr int64_t wait = -1;
    // Announces a number of exchanges, or the estimate of the node and no exchange, or that the node must go
    // on waiting.
    struct Order {
        int64_t exchanges;
        Estimate result;
    };
    struct Reply {
        int64_t received;
        int64_t sent;
    };
    static constexpr int most_others = 31;
    static_assert(most_in_star <= most_others);

    bool is_star() const noexcept { return nodes_ <= most_in_star; }

    // Lists the nodes that this node measures, the one with most nodes behind it first.
    int list_others(Other* others) const noexcept {
        int count = 0;
        if (is_star()) {
            for (int node = 1; node_ == 0 && node < nodes_; ++node) others[count++].node = node;
            return count;
        }
        for (int64_t distance = node_ ? 2 * int64_t{highest_power_in(node_)} : 1; node_ + distance < nodes_;
             distance *= 2)
            others[count++].node = static_cast<int>(node_ + distance);
        return count;
    }

    void measure_others(const Estimate& own) noexcept {
        Other others[most_others];
        int count = list_others(others);
        others_ = {others, static_cast<size_t>(count)};
        reassured_ = link_.now();
        auto is_over = [](const Other& other) { return other.phase == Phase::over; };
        while (!std::ranges::all_of(others_, is_over)) {
            if (pass(own)) continue;
            if (link_.is_over()) return;
            link_.rest();
        }
    }

    // True if any node was there.
    bool pass(const Estimate& own) noexcept {
        bool has_done = false;
        for (Other& other : others_) {
            if (other.phase == Phase::over || !is_there(other)) continue;
            has_done = true;
            proceed(other, own);
            // A node with more behind it may have come in the meantime.
            if (!is_star()) break;
        }
        return has_done;
    }

    bool is_there(Other& other) noexcept {
        while (link_.has_message(other.node)) {
            Greeting greeting{};
            bool is_here =
                link_.receive(other.node, &greeting, sizeof greeting) && greeting == Greeting::here;
            other.phase = is_here ? Phase::present : Phase::over;
        }
        return other.phase != Phase::absent;
    }

    // In a star bursts of one node lie far apart, so that one disturbance does not hit all of them; in a tree
    // the nodes behind it wait.
    void proceed(Other& other, const Estimate& own) noexcept {
        do {
            if (other.phase == Phase::over) return;
            if (!burst(other)) return void(other.phase = Phase::over);
            if (is_worth_another(other)) continue;
            Estimate link = other.best.best();
            // The moment of the estimate, by the clock of this node.
            int64_t then = link.local + link.offset();
            Order order{0, through(link, own, node_ ? then - own.local : 0)};
            link_.send(other.node, &order, sizeof order);
            other.phase = Phase::over;
        } while (!is_star());
    }

    int64_t share_ns() const noexcept { return effort_.budget_ns / std::max(rounds(nodes_), 1); }

    bool is_worth_another(const Other& other) const noexcept {
        int bursts = other.best.bursts();
        return bursts < effort_.bursts && !other.best.has_settled() &&
               other.spent_ns + other.spent_ns / bursts <= share_ns();
    }

    // Ends before it would exceed the rest of the share.
    bool burst(Other& other) noexcept {
        const int exchanges = std::max(effort_.exchanges, 1);
        const bool is_limited = effort_.budget_ns < INT64_MAX;
        const int64_t begin = link_.now(), left_ns = share_ns() - other.spent_ns;
        Burst sum;
        int64_t elapsed = 0;
        for (int done = 0; done < exchanges && elapsed <= left_ns / 2;) {
            reassure();
            int more = is_limited ? std::min(std::max(done, 1), exchanges - done) : exchanges;
            if (!exchange(other, done, more, sum)) return false;
            done += more;
            elapsed = link_.now() - begin;
        }
        other.best.add(sum.estimate());
        other.spent_ns += elapsed;
        return true;
    }

    // Nodes that have come and must still wait would take silence for the end.
    void reassure() noexcept {
        if (link_.now() - reassured_ <= effort_.patience_ns / 4) return;
        reassured_ = link_.now();
        Order order{wait, {}};
        for (Other& other : others_) {
            if (other.phase == Phase::over || !is_there(other) || other.phase == Phase::over) continue;
            link_.send(other.node, &order, sizeof order);
        }
    }

    bool exchange(Other& other, int done, int count, Burst& sum) noexcept {
        Order order{count, {}};
        if (!link_.send(other.node, &order, sizeof order)) return false;
        for (int i = 0; i < count; ++i) {
            Exchange e{};
            Reply reply{};
            e.t1 = link_.now();
            if (!link_.send(other.node, nullptr, 0) || !await(other.node, &reply, sizeof reply)) return false;
            e.t4 = link_.now();
            e.t2 = reply.received;
            e.t3 = reply.sent;
            sum.add(e);
            witness_(other.node, int64_t{other.best.bursts()} * std::max(effort_.exchanges, 1) + done + i, e);
        }
        return true;
    }

    bool serve(Estimate& own) noexcept {
        Greeting greeting = Greeting::here;
        int from = reference_of(node_, nodes_);
        if (!link_.send(from, &greeting, sizeof greeting)) return false;
        if (obey(from, own)) return true;
        greeting = Greeting::gone;
        link_.send(from, &greeting, sizeof greeting);
        return false;
    }

    bool obey(int reference, Estimate& own) noexcept {
        while (true) {
            while (!link_.has_message(reference)) {
                if (link_.is_over()) return false;
                link_.rest();
            }
            Order order{};
            if (!link_.receive(reference, &order, sizeof order)) return false;
            if (order.exchanges == wait) continue;
            if (order.exchanges == 0) return own = order.result, true;
            for (int64_t i = 0; i < order.exchanges; ++i)
                if (!answer(reference)) return false;
        }
    }

    bool answer(int reference) noexcept {
        Reply reply{};
        if (!await(reference, nullptr, 0)) return false;
        reply.received = link_.now();
        reply.sent = link_.now();
        return link_.send(reference, &reply, sizeof reply);
    }

    // Waits without sleeping, as the other side does in the middle of a burst.
    bool await(int node, void* data, int bytes) noexcept {
        for (int64_t since = link_.now(); !link_.has_message(node);)
            if (link_.is_over() || link_.now() - since > effort_.patience_ns) return false;
        return link_.receive(node, data, bytes);
    }

    Link& link_;
    int node_, nodes_;
    Effort effort_;
    std::span<Other> others_;
    int64_t reassured_ = 0;
    Witness witness_;
};

}  // namespace ovni::sync
