#include "mpi/interpose/job/leader_link.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "mpi/interpose/library/predefined.hpp"

namespace ovni::mpi {

namespace {

constexpr int longest_message = 64;

// All MPI libraries have at least 32768 tags.
constexpr int most_numbers = 16384;

// A while without a system call, because an answer may come within microseconds.
constexpr int polls_awake = 100;

}  // namespace

LeaderLink::LeaderLink(MPI_Comm leaders, int number, int64_t timeout, bool* missing) noexcept
    : leaders_(leaders),
      tag_(number % most_numbers * 2),
      dismissal_tag_(tag_ + 1),
      timeout_(timeout),
      last_heard_(now()),
      latest_end_(last_heard_ + 5 * timeout),
      missing_(missing) {
    OVNI_PMPI(Comm_size)(leaders_, &nodes_);
    silences_ = static_cast<Silence*>(calloc(static_cast<size_t>(nodes_), sizeof(Silence)));
}

LeaderLink::~LeaderLink() {
    free(silences_);
    free(outgoing_);
}

bool LeaderLink::finish(MPI_Request& request) const noexcept {
    for (int polls = 0;; ++polls) {
        int done = 0;
        if (OVNI_KNOWN_PMPI(Test)(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
        if (done) return true;
        if (polls < polls_awake) continue;
        if (is_over()) return false;
        sched_yield();
    }
}

bool LeaderLink::post(int node, int tag, const void* data, int bytes) noexcept {
    if (!outgoing_) outgoing_ = calloc(1, longest_message);
    if (!outgoing_ || bytes > longest_message) return false;
    if (bytes > 0) memcpy(outgoing_, data, static_cast<size_t>(bytes));
    MPI_Request request = request_null();
    if (OVNI_KNOWN_PMPI(Isend)(outgoing_, bytes, type_char(), node, tag, leaders_, &request) != MPI_SUCCESS)
        return false;
    if (finish(request)) return true;
    if (request != request_null()) OVNI_KNOWN_PMPI(Request_free)(&request);
    // MPI may read it still.
    outgoing_ = nullptr;
    return false;
}

bool LeaderLink::send(int node, const void* data, int bytes) noexcept {
    return post(node, tag_, data, bytes);
}

void LeaderLink::note(int node, bool is_there) noexcept {
    if (!silences_) return;
    last_polled_ = node;
    Silence& silence = silences_[node];
    int64_t at = now();
    if (is_there)
        silence = {0, 0, true};
    else
        silence = {silence.since ? silence.since : at, at, silence.was_heard};
}

bool LeaderLink::has_message(int node) noexcept {
    int is_there = 0;
    OVNI_KNOWN_PMPI(Iprobe)(node, tag_, leaders_, &is_there, MPI_STATUS_IGNORE);
    note(node, is_there != 0);
    if (!is_there && ++polls_in_vain_ > polls_awake) sched_yield();
    return is_there != 0;
}

// A message that small has come whole once it is there.
bool LeaderLink::receive(int node, void* data, int bytes) noexcept {
    char incoming[longest_message];
    MPI_Status status;
    int received = 0;
    if (OVNI_KNOWN_PMPI(Recv)(incoming, longest_message, type_char(), node, tag_, leaders_, &status) !=
        MPI_SUCCESS)
        return false;
    last_heard_ = now();
    polls_in_vain_ = rests_ = 0;
    OVNI_KNOWN_PMPI(Get_count)(&status, type_char(), &received);
    if (received != bytes) return false;
    if (bytes > 0) memcpy(data, incoming, static_cast<size_t>(bytes));
    return true;
}

// Awake at first, then for longer and longer.
void LeaderLink::rest() noexcept {
    constexpr int rests_awake = 50;
    constexpr long shortest = 10'000, longest = 200'000;
    int dismissed = 0;
    OVNI_KNOWN_PMPI(Iprobe)(MPI_ANY_SOURCE, dismissal_tag_, leaders_, &dismissed, MPI_STATUS_IGNORE);
    is_dismissed_ = dismissed != 0;
    polls_in_vain_ = 0;
    timespec nap{0, std::min(shortest * (++rests_ - rests_awake), longest)};
    if (rests_ <= rests_awake)
        sched_yield();
    else
        nanosleep(&nap, nullptr);
}

bool LeaderLink::is_over() const noexcept {
    int64_t at = now();
    int64_t silence = at - last_heard_;
    return is_dismissed_ || at >= latest_end_ || silence >= timeout_ ||
           (missing_ && silence >= timeout_ / 8 && awaits_only_missing());
}

// False if a node has come whose answer may be outstanding.
bool LeaderLink::awaits_only_missing() const noexcept {
    if (!silences_ || silences_[last_polled_].was_heard) return false;
    for (int node = 0; node < nodes_; ++node)
        if (silences_[node].since != 0 && !silences_[node].was_heard && !missing_[node]) return false;
    return true;
}

void LeaderLink::note_missing() noexcept {
    if (!missing_ || !silences_ || is_dismissed_) return;
    for (int node = 0; node < nodes_; ++node)
        missing_[node] = silences_[node].since != 0 && !silences_[node].was_heard;
}

// A node that takes leave, or has got its result, is not polled any more.
bool LeaderLink::is_absent(const Silence& silence) const noexcept {
    return silence.since != 0 && (!silence.was_heard || silence.until - silence.since > patience() / 2);
}

void LeaderLink::dismiss_absent() noexcept {
    for (int node = 0; silences_ && node < nodes_; ++node) {
        if (!is_absent(silences_[node])) continue;
        if (absent_++ == 0) first_absent_ = node;
        post(node, dismissal_tag_, nullptr, 0);
    }
}

}  // namespace ovni::mpi
