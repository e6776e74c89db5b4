// The account of what takes effect while it is not recorded: sends and receives by their keys, collectives by
// their communicators, receives that are under way then, and ends of requests that a stream shows. A reader
// puts messages and collectives together by counting them, so the next thread that records a call writes the
// account before it (ovni/mpi_events.h).
//
// Memory: some 40 bytes for each key used meanwhile, up to most_keys, and 16 for each end. Beyond that, or
// without memory, the account says that it is incomplete.
#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/interpose/base/spin_lock.hpp"
#include "mpi/interpose/books/communicators.hpp"
#include "mpi/interpose/streams/moment.hpp"

namespace ovni::mpi {

inline constexpr uint32_t most_keys = 1 << 17;

// True once something is to be told.
inline std::atomic<bool> has_account{false};
// When the account was last taken to be written.
inline std::atomic<uint64_t> told_until{0};
// True once the stream of a thread requires the model.
inline std::atomic<bool> streams_know_mpi{false};

// Says whether readers get an account. Call before anything is recorded.
void keep_account(bool kept) noexcept;
// From now on the stream may lack what an account tells.
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

// While there is one, nobody takes the account. What changes with it, such as Posted::shown, changes before
// it goes.
class AccountLock {
 public:
    AccountLock() noexcept : guard_(changing_) {}

 private:
    static inline SpinLock changing_;
    SpinLock::Guard guard_;
};

// Peer and tag as in a trace. A peer that is no rank makes no message.
void add_send(const AccountLock& lock, const CommunicatorPlace& comm, int32_t peer, int32_t tag) noexcept;
void add_receive(const AccountLock& lock, const CommunicatorPlace& comm, int32_t peer, int32_t tag) noexcept;
// Call behind the enter of a call that all members of the communicator make.
void add_collective(const AccountLock& lock, const CommunicatorPlace& comm) noexcept;
// A request that a stream shows under way has ended.
void add_end(const AccountLock& lock, uint32_t request, uint32_t how, int32_t peer, int32_t tag) noexcept;
// A receive is under way that no stream shows.
void expect_receive(const AccountLock& lock) noexcept;
// Something is missing in the account. Needs no lock, and takes none.
void lose_account() noexcept;

// Writes the account into the stream of the thread, at its time, to which the moment is moved.
[[gnu::cold]] void tell_account(Moment& moment) noexcept;
// Likewise, even if recording is off. Call before PMPI_Finalize.
void tell_last_account(Thread& thread, Function function) noexcept;

}  // namespace ovni::mpi
