// Who belongs to a communicator, as ranks in MPI_COMM_WORLD.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdlib>

namespace ovni::mpi {

// In the order of their ranks, those of the remote group behind the others.
class Members {
 public:
    // Without memory, or where MPI refuses, there are none.
    explicit Members(MPI_Comm comm) noexcept;
    ~Members() { free(ranks_); }
    Members(const Members&) = delete;
    Members& operator=(const Members&) = delete;

    uint32_t size() const noexcept { return size_; }
    uint32_t remote_size() const noexcept { return remote_size_; }
    uint32_t all() const noexcept { return size_ + remote_size_; }
    // Are the ranks those of MPI_COMM_WORLD?
    bool is_world() const noexcept;
    // Does anybody belong to another world? Those are -1.
    bool is_foreign() const noexcept;
    // The same for equal members; for both sides of an intercommunicator, too.
    uint64_t hash() const noexcept;

    // The list, to be freed by the caller; null afterwards.
    int32_t* release() noexcept {
        int32_t* ranks = ranks_;
        ranks_ = nullptr;
        return ranks;
    }

 private:
    void add_group(MPI_Group group, uint32_t first, uint32_t count) noexcept;

    uint32_t size_ = 0, remote_size_ = 0;
    int32_t* ranks_ = nullptr;
};

}  // namespace ovni::mpi
