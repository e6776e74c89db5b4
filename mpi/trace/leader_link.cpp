#include "mpi/trace/leader_link.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "mpi/trace/predefined.hpp"

namespace ovni::mpi {

namespace {

constexpr int longest_message = 64;

// All MPI libraries have at least 32768 tags.
constexpr int most_numbers = 16384;

bool have_buffer(void*& buffer, int bytes) noexcept {
    if (!buffer) buffer = calloc(1, longest_message);
    return buffer && bytes <= longest_message;
}

}  // namespace

LeaderLink::LeaderLink(MPI_Comm leaders, int number, int64_t timeout) noexcept
    : leaders_(leaders),
      tag_(number % most_numbers * 2),
      dismissal_tag_(tag_ + 1),
      timeout_(timeout),
      last_heard_(now()),
      latest_end_(last_heard_ + 5 * timeout) {
    OVNI_PMPI(Comm_size)(leaders_, &nodes_);
    contacts_ = static_cast<Contact*>(calloc(static_cast<size_t>(nodes_), sizeof(Contact)));
}

LeaderLink::~LeaderLink() {
    free(contacts_);
    free(outgoing_);
    free(incoming_);
}

void LeaderLink::note(int node, Contact contact) noexcept {
    if (contacts_) contacts_[node] = std::max(contacts_[node], contact);
    if (contact != Contact::heard) return;
    last_heard_ = now();
    rests_ = 0;
}

bool LeaderLink::finish(MPI_Request& request) noexcept {
    constexpr int polls_awake = 100;
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
    if (!have_buffer(outgoing_, bytes)) return false;
    if (bytes > 0) memcpy(outgoing_, data, static_cast<size_t>(bytes));
    MPI_Request request = request_null();
    if (OVNI_KNOWN_PMPI(Isend)(outgoing_, bytes, type_char(), node, tag, leaders_, &request) != MPI_SUCCESS)
        return false;
    if (finish(request)) return true;
    if (request != request_null()) OVNI_KNOWN_PMPI(Request_free)(&request);
    outgoing_ = nullptr;
    return false;
}

bool LeaderLink::send(int node, const void* data, int bytes) noexcept {
    return post(node, tag_, data, bytes);
}

bool LeaderLink::receive(int node, void* data, int bytes) noexcept {
    if (!have_buffer(incoming_, bytes)) return false;
    MPI_Request request = request_null();
    if (OVNI_KNOWN_PMPI(Irecv)(incoming_, bytes, type_char(), node, tag_, leaders_, &request) != MPI_SUCCESS)
        return false;
    if (!finish(request)) {
        if (request != request_null()) {
            OVNI_KNOWN_PMPI(Cancel)(&request);
            OVNI_KNOWN_PMPI(Request_free)(&request);
        }
        incoming_ = nullptr;
        return false;
    }
    if (bytes > 0) memcpy(data, incoming_, static_cast<size_t>(bytes));
    note(node, Contact::heard);
    return true;
}

bool LeaderLink::has_message(int node) noexcept {
    int there = 0;
    note(node, Contact::awaited);
    bool known =
        OVNI_KNOWN_PMPI(Iprobe)(node, tag_, leaders_, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS && there;
    if (known) note(node, Contact::heard);
    return known;
}

// Awake at first, then for longer and longer.
void LeaderLink::rest() noexcept {
    constexpr int rests_awake = 50;
    constexpr long shortest = 10'000, longest = 200'000;
    if (++rests_ < rests_awake) {
        sched_yield();
        return;
    }
    timespec nap{0, std::min(shortest * (rests_ - rests_awake + 1), longest)};
    nanosleep(&nap, nullptr);
}

bool LeaderLink::is_over() noexcept {
    int dismissed = 0;
    OVNI_KNOWN_PMPI(Iprobe)(MPI_ANY_SOURCE, dismissal_tag_, leaders_, &dismissed, MPI_STATUS_IGNORE);
    is_dismissed_ = dismissed != 0;
    int64_t at = now();
    return is_dismissed_ || at >= latest_end_ || at - last_heard_ >= timeout_;
}

void LeaderLink::dismiss_absent() noexcept {
    for (int node = 0; contacts_ && node < nodes_; ++node) {
        if (contacts_[node] != Contact::awaited) continue;
        if (absent_++ == 0) first_absent_ = node;
        post(node, dismissal_tag_, nullptr, 0);
    }
}

}  // namespace ovni::mpi
