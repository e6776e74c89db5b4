#include "mpi/trace/requests.hpp"

#include <atomic>

#include "mpi/trace/handle_table.hpp"
#include "mpi/trace/predefined.hpp"
#include "mpi/trace/spin_lock.hpp"

namespace ovni::mpi {

namespace {

// Several, so that threads seldom meet.
struct alignas(64) Shard {
    SpinLock changing;
    HandleTable<Posted> posted;
};
constexpr size_t shards = 16;
Shard all[shards];

std::atomic<uint32_t> last_number{0};

SpinLock changing_messages;
constinit HandleTable<uint32_t> messages;

Shard& shard_of(MPI_Request request) noexcept {
    return all[mix(key_of(request)) >> 60];
}
static_assert(shards == 16);

}  // namespace

uint32_t next_request_number() noexcept {
    return last_number.fetch_add(1, std::memory_order_relaxed) + 1;
}

void post(MPI_Request request, const Posted& posted) noexcept {
    Shard& shard = shard_of(request);
    SpinLock::Guard guard(shard.changing);
    if (Posted* place = shard.posted.insert(key_of(request))) *place = posted;
}

bool post_send(MPI_Request request, const Posted& posted) noexcept {
    Shard& shard = shard_of(request);
    SpinLock::Guard guard(shard.changing);
    Posted* place = shard.posted.insert(key_of(request));
    if (!place) return true;
    if (place->number != 0 && place->kind == Posted::Kind::send && !place->persistent) return false;
    *place = posted;
    return true;
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
