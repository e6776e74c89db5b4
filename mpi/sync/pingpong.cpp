#include "sync/pingpong.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "comm/sleep_until.hpp"

namespace ovni::sync {

namespace {

enum Tag { tag_order, tag_ping, tag_pong };

// A clock moves by up to 0.1 us against another during a burst of this length (3 ms, 30 ppm), and one burst
// in which ranks share a core with something else does not spoil the others.
constexpr int burst_length = 100;

struct Reply {
    int64_t received;
    int64_t sent;
};

}  // namespace

PingPong::PingPong(const Comm& nodes, const Clock& clock, int samples, Witness witness)
    : nodes_(nodes), clock_(clock), samples_(samples), witness_(std::move(witness)) {}

std::vector<Estimate> PingPong::measure() {
    std::vector<std::vector<Estimate>> bursts(static_cast<size_t>(nodes_.size()));
    bursts[0].emplace_back();
    // Bursts of one rank lie far apart, so that one disturbance does not meet all of them.
    for (int done = 0; done < samples_; done += burst_length) {
        for (int rank = 1; rank < nodes_.size(); ++rank) {
            std::vector<Exchange> exchanges = burst(rank, std::min(burst_length, samples_ - done));
            int sample = done;
            for (const Exchange& e : exchanges) witness_(rank, sample++, e);
            bursts[static_cast<size_t>(rank)].push_back(estimate(exchanges));
        }
    }
    std::vector<Estimate> result;
    result.reserve(bursts.size());
    for (const auto& of_rank : bursts) result.push_back(best(of_rank));
    return result;
}

std::vector<Exchange> PingPong::burst(int rank, int exchanges) {
    std::vector<Exchange> result(static_cast<size_t>(exchanges));
    MPI_Send(&exchanges, 1, MPI_INT, rank, tag_order, nodes_.get());
    for (Exchange& e : result) {
        Reply reply{};
        e.t1 = clock_.now();
        MPI_Send(nullptr, 0, MPI_BYTE, rank, tag_ping, nodes_.get());
        MPI_Recv(&reply, sizeof reply, MPI_BYTE, rank, tag_pong, nodes_.get(), MPI_STATUS_IGNORE);
        e.t4 = clock_.now();
        e.t2 = reply.received;
        e.t3 = reply.sent;
    }
    return result;
}

void PingPong::answer(int exchanges) {
    for (int i = 0; i < exchanges; ++i) {
        Reply reply{};
        MPI_Recv(nullptr, 0, MPI_BYTE, 0, tag_ping, nodes_.get(), MPI_STATUS_IGNORE);
        reply.received = clock_.now();
        reply.sent = clock_.now();
        MPI_Send(&reply, sizeof reply, MPI_BYTE, 0, tag_pong, nodes_.get());
    }
}

void PingPong::stop() {
    for (int rank = 1; rank < nodes_.size(); ++rank) {
        int exchanges = 0;
        MPI_Send(&exchanges, 1, MPI_INT, rank, tag_order, nodes_.get());
    }
}

void PingPong::serve() {
    for (int exchanges = 1; exchanges > 0;) {
        sleep_until([&] {
            int there = 0;
            MPI_Iprobe(0, tag_order, nodes_.get(), &there, MPI_STATUS_IGNORE);
            return there != 0;
        });
        MPI_Recv(&exchanges, 1, MPI_INT, 0, tag_order, nodes_.get(), MPI_STATUS_IGNORE);
        answer(exchanges);
    }
}

}  // namespace ovni::sync
