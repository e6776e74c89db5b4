#include "base/ranks.hpp"

#include <cstring>

namespace ovni {

void Ranks::settle(const std::exception_ptr& failure) const {
    if (failure) std::rethrow_exception(failure);
}

int Ranks::run_on_root(const std::function<int()>& work) const {
    int result = 0;
    std::exception_ptr failure;
    if (is_root()) {
        try {
            result = work();
        } catch (...) {
            failure = std::current_exception();
        }
    }
    barrier_asleep();
    settle(failure);
    return broadcast(result);
}

std::string Ranks::broadcast(std::string text, int root) const {
    text.resize(broadcast<uint64_t>(text.size(), root));
    broadcast_bytes(text.data(), text.size(), root);
    return text;
}

void Ranks::broadcast_bytes(void* /*data*/, size_t /*bytes*/, int /*root*/) const {}

void Ranks::allgather_bytes(const void* data, size_t bytes, void* all) const {
    if (bytes > 0) std::memcpy(all, data, bytes);
}

void Ranks::reduce_in_place(Op /*op*/, int64_t* /*values*/, size_t /*count*/) const {}
void Ranks::reduce_in_place(Op /*op*/, uint64_t* /*values*/, size_t /*count*/) const {}

uint64_t Ranks::exscan_sum(uint64_t /*value*/) const {
    return 0;
}

PerRank<uint64_t> Ranks::alltoall_counts(const PerRank<uint64_t>& counts) const {
    return counts;
}

void Ranks::exchange(const PerRank<std::span<const std::byte>>& outgoing,
                     const PerRank<std::span<std::byte>>& incoming) const {
    if (!incoming[0].empty()) std::memcpy(incoming[0].data(), outgoing[0].data(), incoming[0].size());
}

}  // namespace ovni
