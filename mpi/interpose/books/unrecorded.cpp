#include "mpi/interpose/books/unrecorded.hpp"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "mpi/interpose/base/handle_table.hpp"
#include "mpi/interpose/books/requests.hpp"
#include "mpi/interpose/streams/keep_errno.hpp"
#include "mpi/interpose/streams/recorder.hpp"
#include "mpi/interpose/streams/selection.hpp"
#include "ovni/emit.hpp"
#include "ovni/mpi_events.h"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

// Trivial values, one behind the other.
template <class Value>
class Row {
 public:
    // Null without memory.
    Value* add() noexcept {
        if (size_ == room_ && !grow()) return nullptr;
        return &(values_[size_++] = {});
    }
    Value& operator[](uint32_t i) noexcept { return values_[i]; }
    uint32_t size() const noexcept { return size_; }
    void clear() noexcept {
        free(values_);
        values_ = nullptr;
        size_ = room_ = 0;
    }

 private:
    bool grow() noexcept {
        constexpr uint32_t least = 16;
        const uint32_t room = room_ == 0 ? least : 2 * room_;
        auto* values = static_cast<Value*>(realloc(values_, room * sizeof(Value)));
        if (!values) return false;
        values_ = values;
        room_ = room;
        return true;
    }

    Value* values_ = nullptr;
    uint32_t size_ = 0, room_ = 0;
};

struct Key {
    CommunicatorPlace comm;
    int32_t peer = 0, tag = 0;
    uint32_t sends = 0, receives = 0;
    uint32_t next = 0;  // the key with the same hash, from 1; 0: there is none

    bool is(const CommunicatorPlace& other, int32_t its_peer, int32_t its_tag) const noexcept {
        return comm.number == other.number && peer == its_peer && tag == its_tag;
    }
};

struct End {
    uint32_t request = 0, how = 0;
    int32_t peer = 0, tag = 0;
};
constexpr uint32_t most_ends = 1 << 20;

struct Account {
    Row<Key> keys;
    Row<End> ends;
    bool has_receives = false;  // under way, which no stream shows
    bool is_incomplete = false;
};

// All but is_lost change with an AccountLock.
std::atomic<bool> is_lost{false};  // something is missing
constinit Account account;
constinit HandleTable<uint32_t> places;  // of its keys, from 1, by hash
uint32_t last_place = 0;                 // that was counted last
bool is_kept = false;

uint64_t hash_of_key(const CommunicatorPlace& comm, int32_t peer, int32_t tag) noexcept {
    return mix(uint64_t{comm.number} << 32 | static_cast<uint32_t>(peer), static_cast<uint32_t>(tag));
}

void has_more() noexcept {
    has_account.store(true, std::memory_order_relaxed);
    recording_at_once.store(false, std::memory_order_relaxed);
}

// Null if there is no room for the key.
Key* find_key(const CommunicatorPlace& comm, int32_t peer, int32_t tag) noexcept {
    if (last_place != 0 && account.keys[last_place - 1].is(comm, peer, tag))
        return &account.keys[last_place - 1];
    if (account.keys.size() == most_keys) return nullptr;
    uint32_t* first = places.insert(hash_of_key(comm, peer, tag));
    if (!first) return nullptr;
    for (uint32_t at = *first; at != 0; at = account.keys[at - 1].next)
        if (account.keys[at - 1].is(comm, peer, tag)) return &account.keys[(last_place = at) - 1];
    Key* made = account.keys.add();
    if (!made) return nullptr;
    made->comm = comm, made->peer = peer, made->tag = tag;
    made->next = std::exchange(*first, last_place = account.keys.size());
    return made;
}

// Counts one of `what`.
void count(const CommunicatorPlace& comm, int32_t peer, int32_t tag, uint32_t Key::*what) noexcept {
    if (comm.number == OVNI_MPI_NO_OBJECT) return;
    has_more();
    Key* key = find_key(comm, peer, tag);
    if (!key || key->*what == UINT32_MAX)
        account.is_incomplete = true;
    else
        ++(key->*what);
}

// The bytes of an event, in the order of their members.
class Bytes {
 public:
    template <class... Values>
    explicit Bytes(Values... values) noexcept {
        (put(values), ...);
    }
    explicit Bytes(const CommunicatorPlace& comm) noexcept
        : Bytes(comm.number, comm.flags, comm.id, comm.rank) {}
    template <class Value>
    Bytes& put(Value value) noexcept {
        std::memcpy(bytes_ + size_, &value, sizeof value);
        size_ += sizeof value;
        return *this;
    }
    std::span<const uint8_t> all() const noexcept { return {bytes_, size_}; }

 private:
    static constexpr size_t most = 36;  // of MXk
    uint8_t bytes_[most];
    size_t size_ = 0;
};

void record_key(Moment& moment, const Key& key) noexcept {
    Bytes bytes(key.comm);
    bytes.put(key.peer).put(key.tag).put(key.sends).put(key.receives);
    record_jumbo(moment, OVNI_MPI_UNRECORDED, bytes.all(), {});
}

void record_receive(Moment& moment, const Posted& posted) noexcept {
    Bytes bytes(posted.place());
    bytes.put(posted.peer).put(posted.tag).put(posted.number);
    record_jumbo(moment, OVNI_MPI_UNDER_WAY, bytes.all(), {});
}

void record_end(Moment& moment, const End& end) noexcept {
    record_jumbo(moment, OVNI_MPI_UNRECORDED_END, Bytes(end.request, end.how, end.peer, end.tag).all(), {});
}

struct Taken {
    Account account;
    HiddenReceives receives;
};

// Sets `at` to the time from which on ends are counted anew: threads that record again are later.
Taken take_account(uint64_t& at) noexcept {
    const AccountLock lock;
    at = ovni::stream_now();
    Taken taken{std::exchange(account, {}), {}};
    if (taken.account.has_receives) taken.receives = take_hidden();
    places.clear();
    last_place = 0;
    accounted_until.store(at, std::memory_order_relaxed);
    has_account.store(false, std::memory_order_release);
    recording_at_once.store(recording.load(std::memory_order_relaxed), std::memory_order_relaxed);
    taken.account.is_incomplete |= is_lost.exchange(false) || !taken.receives.are_all;
    return taken;
}

}  // namespace

void keep_account(bool kept) noexcept {
    is_kept = kept;
}

void require_version_of_pauses(Thread& thread) noexcept {
    if (!is_kept || thread.pauses_known) return;
    ovni_private_require("mpi", OVNI_MPI_VERSION_OF_PAUSES);
    thread.pauses_known = thread.has_details = true;
}

bool counts(const Moment& moment) noexcept {
    return moment.thread.depth == 1 && is_selected(moment.function);
}

void add_send(const AccountLock& /*lock*/, const CommunicatorPlace& comm, int32_t peer,
              int32_t tag) noexcept {
    if (peer >= 0) count(comm, peer, tag, &Key::sends);
}

void add_receive(const AccountLock& /*lock*/, const CommunicatorPlace& comm, int32_t peer,
                 int32_t tag) noexcept {
    if (peer >= 0) count(comm, peer, tag, &Key::receives);
}

void add_collective(const AccountLock& /*lock*/, const CommunicatorPlace& comm) noexcept {
    count(comm, OVNI_MPI_ANY, OVNI_MPI_ANY, &Key::sends);
}

void add_end(const AccountLock& /*lock*/, uint32_t request, uint32_t how, int32_t peer,
             int32_t tag) noexcept {
    has_more();
    End* end = account.ends.size() == most_ends ? nullptr : account.ends.add();
    if (end)
        *end = {request, how, peer, tag};
    else
        account.is_incomplete = true;
}

void expect_receive(const AccountLock& /*lock*/) noexcept {
    has_more();
    account.has_receives = true;
}

void lose_account() noexcept {
    is_lost.store(true);
    has_more();
}

void record_account(Moment& moment) noexcept {
    auto [taken, receives] = take_account(moment.at);
    require_version_of_pauses(moment.thread);
    for (uint32_t i = 0; i < taken.keys.size(); ++i) record_key(moment, taken.keys[i]);
    // A persistent request that has ended may be under way again.
    for (uint32_t i = 0; i < taken.ends.size(); ++i) record_end(moment, taken.ends[i]);
    for (size_t i = 0; i < receives.count; ++i) record_receive(moment, receives.first[i]);
    if (taken.is_incomplete) record_key(moment, {});
    taken.keys.clear();
    taken.ends.clear();
    free(receives.first);
}

void record_last_account(Thread& thread, Function function) noexcept {
    if (!has_account.load(std::memory_order_relaxed) || !streams_know_mpi.load(std::memory_order_relaxed))
        return;
    KeepErrno keep(thread);
    if (!may_define(thread)) return;
    Moment moment{thread, function, true, ovni::stream_now()};
    record_account(moment);
}

}  // namespace ovni::mpi
