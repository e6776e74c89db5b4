// The account of unrecorded calls: sends and receives by their keys, collectives by their communicators,
// receives that are pending, and ends of recorded requests. A reader matches messages and collectives by
// counting them. So the next thread that records a call writes the account before it (ovni/mpi_events.h).
//
// Memory: some 40 bytes for each key, up to most_keys, and 16 for each end. If these do not suffice, or
// memory runs out, the account is marked as incomplete.
#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/interpose/base/spin_lock.hpp"
#include "mpi/interpose/books/communicators.hpp"
#include "mpi/interpose/streams/moment.hpp"

namespace ovni::mpi {

inline constexpr uint32_t most_keys = 1 << 17;

// True if the account is not empty.
inline std::atomic<bool> has_account{false};
// Clock at which the account was last taken to be written.
inline std::atomic<uint64_t> accounted_until{0};
// True once the stream of a thread requires the model.
inline std::atomic<bool> streams_know_mpi{false};

// Sets whether an account is written. Call before anything is recorded.
void keep_account(bool kept) noexcept;
// Call before the stream may lack calls that an account counts: requires the version of the model that has
// accounts.
[[gnu::cold]] void require_version_of_pauses(Thread& thread) noexcept;

// The program itself made the call, and it would be recorded if recording were on.
bool counts(const Moment& moment) noexcept;
// All of the call's events are in the stream, from its enter to now.
inline bool is_whole(const Moment& moment) noexcept {
    return moment.recorded && moment.thread.out_of_step == 0;
}

// The event of entering is in the stream.
inline bool is_enter_shown(const Moment& moment) noexcept {
    return moment.recorded && moment.thread.is_on;
}

// Keeps other threads from taking the account. Change what depends on the account, such as Posted::shown,
// while the lock is held.
class AccountLock {
 public:
    AccountLock() noexcept : guard_(changing_) {}

 private:
    static inline SpinLock changing_;
    SpinLock::Guard guard_;
};

// Peer and tag as in a trace. If the peer is no rank, there is no message, and nothing is added.
void add_send(const AccountLock& lock, const CommunicatorPlace& comm, int32_t peer, int32_t tag) noexcept;
void add_receive(const AccountLock& lock, const CommunicatorPlace& comm, int32_t peer, int32_t tag) noexcept;
// Call after the enter of a call that all members of the communicator make.
void add_collective(const AccountLock& lock, const CommunicatorPlace& comm) noexcept;
// Adds the end of a request whose start a stream shows.
void add_end(const AccountLock& lock, uint32_t request, uint32_t how, int32_t peer, int32_t tag) noexcept;
// Notes that a receive is pending that no stream shows.
void expect_receive(const AccountLock& lock) noexcept;
// Marks the account as incomplete. Needs no lock, and takes none.
void lose_account() noexcept;

// Writes the account into the stream of the thread, and sets moment.at to the clock of the account.
[[gnu::cold]] void record_account(Moment& moment) noexcept;
// Writes the account even if recording is off. Call before PMPI_Finalize.
void record_last_account(Thread& thread, Function function) noexcept;

}  // namespace ovni::mpi
