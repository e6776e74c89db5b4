// Computes from the arguments of a collective how many bytes a rank sends and receives. A table gives the
// number of blocks for each function and role. Bytes are those of the buffers, including the part that a rank
// keeps for itself.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/interpose/books/communicators.hpp"
#include "mpi/interpose/library/arguments.hpp"

namespace ovni::mpi {

struct CollectiveFlow {
    enum class Who : uint8_t { nobody, root, others, all };
    // one: the block of this rank, if blocks differ; of_all: those of all ranks that it talks to; of_group:
    // those of its own group.
    enum class Blocks : uint8_t { one, of_all, of_group };
    Who senders;
    Blocks sent;
    Who receivers;
    Blocks received;
    bool along_topology = false;  // the rank talks to its neighbours only
};

namespace flows {

using enum CollectiveFlow::Who;
using enum CollectiveFlow::Blocks;

inline constexpr CollectiveFlow Barrier{nobody, one, nobody, one};
inline constexpr CollectiveFlow Bcast{root, one, others, one};
inline constexpr CollectiveFlow Gather{all, one, root, of_all};
inline constexpr CollectiveFlow Scatter{root, of_all, all, one};
inline constexpr CollectiveFlow Allgather{all, one, all, of_all};
inline constexpr CollectiveFlow Alltoall{all, of_all, all, of_all};
inline constexpr CollectiveFlow Reduce{all, one, root, one};
inline constexpr CollectiveFlow Allreduce{all, one, all, one};
inline constexpr CollectiveFlow Reduce_scatter{all, of_group, all, one};
inline constexpr CollectiveFlow Neighbor_allgather{all, one, all, of_all, true};
inline constexpr CollectiveFlow Neighbor_alltoall{all, of_all, all, of_all, true};

}  // namespace flows

// The arguments of one direction: one `count` or `counts` per block, and one type or `types` per block.
struct CollectiveSide {
    const void* buffer = nullptr;
    int64_t count = 0;
    Counts counts = {};
    MPI_Datatype type = {};
    Types types = {};

    // Bytes of block i, and of the first `n` blocks.
    uint64_t block(uint32_t i) const noexcept;
    uint64_t blocks(uint32_t n) const noexcept;
};

struct CollectiveBytes {
    uint64_t sent = 0, received = 0;
};

// Does not read arguments that MPI ignores on this rank.
CollectiveBytes bytes_of(const CollectiveFlow& flow, const Communicator& comm, int root,
                         const CollectiveSide& sent, const CollectiveSide& received,
                         Language language) noexcept;

}  // namespace ovni::mpi
