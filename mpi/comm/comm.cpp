#include "mpi/comm/comm.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/comm/host_names.hpp"
#include "mpi/comm/sleep_until.hpp"

namespace ovni {

namespace {

constexpr size_t default_chunk = size_t{1} << 30;
constexpr int exchange_tag = 0x6f76;

// Calls part(begin, length) for pieces of at most `limit`.
template <class Part>
void in_chunks(size_t total, size_t limit, Part part) {
    for (size_t begin = 0; begin < total; begin += limit) part(begin, std::min(limit, total - begin));
}

MPI_Op mpi_op(Op op) {
    constexpr auto count = 4;
    const MPI_Op ops[count] = {MPI_MIN, MPI_MAX, MPI_SUM, MPI_BOR};
    return ops[static_cast<size_t>(op)];
}

struct Failure {
    std::string message;
    int status;
};

Failure describe(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const UsageError& e) {
        return {e.what(), 2};
    } catch (const std::exception& e) {
        return {e.what(), 1};
    } catch (...) {
        return {"unknown failure", 1};
    }
}

}  // namespace

Comm::Comm(MPI_Comm comm, Handle handle, size_t chunk)
    : Ranks(-1, 0), comm_(comm), handle_(handle), chunk_(chunk) {
    if (comm_ == MPI_COMM_NULL) return;
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
}

Comm::Comm(Comm&& other) noexcept
    : Ranks(other.rank_, other.size_),
      comm_(std::exchange(other.comm_, MPI_COMM_NULL)),
      handle_(other.handle_),
      chunk_(other.chunk_) {}

Comm& Comm::operator=(Comm&& other) noexcept {
    std::swap(comm_, other.comm_);
    std::swap(handle_, other.handle_);
    std::swap(rank_, other.rank_);
    std::swap(size_, other.size_);
    std::swap(chunk_, other.chunk_);
    std::swap(traffic_, other.traffic_);
    return *this;
}

Comm::~Comm() {
    if (handle_ == Handle::owned && comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

Comm Comm::world() {
    return {MPI_COMM_WORLD, Handle::borrowed, default_chunk};
}

Comm Comm::split(int colour, int key) const {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(comm_, colour < 0 ? MPI_UNDEFINED : colour, key, &part);
    return {part, Handle::owned, chunk_};
}

Comm Comm::split_by_node() const {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part);
    Comm shared(part, Handle::owned, chunk_);
    std::string mine = host_name();
    PerRank<std::string> names = shared.allgather(mine);
    auto first = std::find(names.begin(), names.end(), mine);
    return shared.split(static_cast<int>(first - names.begin()), rank_);
}

Comm Comm::duplicate() const {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(comm_, &copy);
    return {copy, Handle::owned, chunk_};
}

void Comm::settle(const std::exception_ptr& failure) const {
    constexpr int64_t none = INT64_MAX;
    Failure mine;
    if (failure) mine = describe(failure);
    // Rank and status are one number, so that one reduction is enough.
    int64_t lowest = allreduce(Op::min, failure ? int64_t{rank_} * 4 + mine.status : none);
    if (lowest == none) return;
    throw Stopped(lowest / 4 == rank_ ? mine.message : "", static_cast<int>(lowest % 4));
}

void Comm::barrier() const {
    count(0);
    MPI_Barrier(comm_);
}

void Comm::barrier_asleep() const {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm_, &request);
    sleep_until([&] {
        int done = 0;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        return done != 0;
    });
}

void Comm::broadcast_bytes(void* data, size_t bytes, int root) const {
    auto* at = static_cast<std::byte*>(data);
    in_chunks(bytes, chunk_, [&](size_t begin, size_t length) {
        count(rank_ == root ? length : 0);
        MPI_Bcast(at + begin, static_cast<int>(length), MPI_BYTE, root, comm_);
    });
}

void Comm::allgather_bytes(const void* data, size_t bytes, void* all) const {
    count(bytes);
    MPI_Allgather(data, static_cast<int>(bytes), MPI_BYTE, all, static_cast<int>(bytes), MPI_BYTE, comm_);
}

void Comm::reduce_in_place(Op op, int64_t* values, size_t count) const {
    reduce_chunks(op, MPI_INT64_T, values, count);
}

void Comm::reduce_in_place(Op op, uint64_t* values, size_t count) const {
    reduce_chunks(op, MPI_UINT64_T, values, count);
}

void Comm::reduce_chunks(Op op, MPI_Datatype type, void* values, size_t count) const {
    auto* at = static_cast<std::byte*>(values);
    in_chunks(count, std::max<size_t>(chunk_ / sizeof(int64_t), 1), [&](size_t begin, size_t length) {
        this->count(length * sizeof(int64_t));
        MPI_Allreduce(MPI_IN_PLACE, at + begin * sizeof(int64_t), static_cast<int>(length), type, mpi_op(op),
                      comm_);
    });
}

uint64_t Comm::exscan_sum(uint64_t value) const {
    uint64_t before = 0;
    count(sizeof value);
    MPI_Exscan(&value, &before, 1, MPI_UINT64_T, MPI_SUM, comm_);
    return rank_ == 0 ? 0 : before;
}

PerRank<uint64_t> Comm::alltoall_counts(const PerRank<uint64_t>& counts) const {
    PerRank<uint64_t> received(counts.size());
    count(counts.size() * sizeof(uint64_t));
    MPI_Alltoall(counts.data(), 1, MPI_UINT64_T, received.data(), 1, MPI_UINT64_T, comm_);
    return received;
}

void Comm::exchange(const PerRank<std::span<const std::byte>>& outgoing,
                    const PerRank<std::span<std::byte>>& incoming) const {
    auto self = static_cast<size_t>(rank_);
    std::vector<MPI_Request> requests;
    // Every rank starts with its right neighbour, so that not all send to rank 0 first.
    for (int step = 1; step < size_; ++step) {
        auto from = static_cast<size_t>((rank_ + size_ - step) % size_);
        in_chunks(incoming[from].size(), chunk_, [&](size_t begin, size_t length) {
            MPI_Irecv(incoming[from].data() + begin, static_cast<int>(length), MPI_BYTE,
                      static_cast<int>(from), exchange_tag, comm_, &requests.emplace_back());
        });
    }
    for (int step = 1; step < size_; ++step) {
        auto to = static_cast<size_t>((rank_ + step) % size_);
        in_chunks(outgoing[to].size(), chunk_, [&](size_t begin, size_t length) {
            ++traffic_.messages, traffic_.bytes += length;
            MPI_Isend(outgoing[to].data() + begin, static_cast<int>(length), MPI_BYTE, static_cast<int>(to),
                      exchange_tag, comm_, &requests.emplace_back());
        });
    }
    if (!incoming[self].empty())
        std::memcpy(incoming[self].data(), outgoing[self].data(), incoming[self].size());
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace ovni
