#include "mpi/interpose/books/requests.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>

#include "mpi/interpose/base/handle_table.hpp"
#include "mpi/interpose/base/spin_lock.hpp"
#include "mpi/interpose/books/unrecorded.hpp"
#include "mpi/interpose/library/family.hpp"
#include "mpi/interpose/library/predefined.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

namespace {

// Several, so that threads seldom wait for each other.
struct alignas(64) Shard {
    SpinLock changing;
    HandleTable<Posted> posted;
    // Receives that no stream shows, by number, whose handle MPI has given away while a call ends them.
    HandleTable<bool> hidden;
};
constexpr size_t shards = 16;
Shard all[shards];

std::atomic<uint32_t> last_request{0};

SpinLock changing_counts;
constinit HandleTable<uint32_t> made_for;

SpinLock changing_messages;
constinit HandleTable<uint32_t> messages;

Shard& shard_of(MPI_Request request) noexcept {
    return all[mix(key_of(request)) >> 60];
}
static_assert(shards == 16);

bool is_hidden(const Posted& posted) noexcept {
    return posted.shown == Shown::no && posted.active && posted.receives();
}

// False where the handle is one of many requests.
bool keep_request(MPI_Request request, const Posted& posted) noexcept {
    if (is_shared(request)) return false;
    Shard& shard = shard_of(request);
    SpinLock::Guard guard(shard.changing);
    Posted* place = shard.posted.insert(key_of(request));
    if (!place) {
        if (posted.shown == Shown::no) lose_account();
        return true;
    }
    bool may_share = posted.kind == PostedKind::send && !posted.persistent;
    if (may_share && place->number != 0 && place->kind == posted.kind && !place->persistent) return false;
    const bool was_hidden = place->number != 0 && place->shown == Shown::no && place->active;
    if (was_hidden && !shard.hidden.insert(place->number)) lose_account();
    *place = posted;
    return true;
}

}  // namespace

void post(Moment& moment, MPI_Request request, const Posted& posted) noexcept {
    if (!keep_request(request, posted))
        moment.record(OVNI_MPI_REQUEST_ENDED, posted.number, uint32_t{OVNI_MPI_COMPLETED});
}

uint32_t next_request_number() noexcept {
    return last_request.fetch_add(1, std::memory_order_relaxed) + 1;
}

uint32_t count_made(uint64_t purpose) noexcept {
    SpinLock::Guard guard(changing_counts);
    uint32_t* count = made_for.insert(purpose);
    return count ? ++*count : UINT32_MAX;
}

uint32_t newest_request_number() noexcept {
    return last_request.load(std::memory_order_relaxed);
}

Posted find_request(MPI_Request request) noexcept {
    if (request == request_null()) return {};
    Shard& shard = shard_of(request);
    SpinLock::Guard guard(shard.changing);
    const Posted* found = shard.posted.find(key_of(request));
    return found ? *found : Posted{};
}

void update(MPI_Request request, const Posted& posted) noexcept {
    Shard& shard = shard_of(request);
    SpinLock::Guard guard(shard.changing);
    Posted* found = shard.posted.find(key_of(request));
    if (found && found->number == posted.number) *found = posted;
}

void forget(MPI_Request request, const Posted& posted) noexcept {
    Shard& shard = shard_of(request);
    SpinLock::Guard guard(shard.changing);
    Posted* found = shard.posted.find(key_of(request));
    if (found && found->number == posted.number) shard.posted.erase(key_of(request));
}

Shown take_shown(MPI_Request request, const Posted& posted) noexcept {
    Shard& shard = shard_of(request);
    SpinLock::Guard guard(shard.changing);
    Posted* found = shard.posted.find(key_of(request));
    if (found && found->number == posted.number) return std::exchange(found->shown, Shown::never);
    if (posted.shown != Shown::no) return posted.shown;
    // If it was not shown when it lost its handle, it has not been shown since.
    const bool was_hidden = shard.hidden.find(posted.number) != nullptr;
    shard.hidden.erase(posted.number);
    return was_hidden ? Shown::no : Shown::yes;
}

HiddenReceives take_hidden() noexcept {
    HiddenReceives hidden;
    for (Shard& shard : all) {
        SpinLock::Guard guard(shard.changing);
        size_t count = 0;
        shard.posted.visit([&](const Posted& posted) { count += is_hidden(posted); });
        if (count == 0) continue;
        auto* room = static_cast<Posted*>(realloc(hidden.first, (hidden.count + count) * sizeof(Posted)));
        if (!room) {
            hidden.are_all = false;
            break;
        }
        hidden.first = room;
        shard.posted.visit([&](Posted& posted) {
            if (!is_hidden(posted)) return;
            posted.shown = Shown::yes;
            new (&hidden.first[hidden.count++]) Posted(posted);
        });
    }
    std::sort(hidden.first, hidden.first + hidden.count,
              [](const Posted& a, const Posted& b) { return a.number < b.number; });
    return hidden;
}

void keep_message(MPI_Message message, uint32_t number) noexcept {
    SpinLock::Guard guard(changing_messages);
    if (uint32_t* place = messages.insert(key_of(message))) *place = number;
}

uint32_t take_message(MPI_Message message) noexcept {
    SpinLock::Guard guard(changing_messages);
    uint32_t* found = messages.find(key_of(message));
    if (!found) return 0;
    uint32_t number = *found;
    messages.erase(key_of(message));
    return number;
}

}  // namespace ovni::mpi
