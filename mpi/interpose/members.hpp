// Who belongs to a communicator, as ranks in MPI_COMM_WORLD. Members of another world have no such rank: both
// worlds know them by an identity, made of the communicator that a world shares with its parent.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdlib>

namespace ovni::mpi {

// In the order of their ranks, those of the remote group behind the others.
class Members {
 public:
    enum class Part : uint8_t { local, remote };
    // Is it known without asking that they have the ranks of MPI_COMM_WORLD?
    enum class Ranks : bool { any, of_world };
    // Without memory, or where MPI refuses, there are none. The communicator is asked again.
    explicit Members(MPI_Comm comm, Ranks known = Ranks::any) noexcept;
    ~Members() {
        free(ranks_);
        free(identities_);
    }
    Members(const Members&) = delete;
    Members& operator=(const Members&) = delete;

    uint32_t size() const noexcept { return size_; }
    uint32_t remote_size() const noexcept { return remote_size_; }
    uint32_t all() const noexcept { return size_ + remote_size_; }
    // Are the ranks those of MPI_COMM_WORLD?
    bool is_world() const noexcept;
    // Does anybody belong to another world? Those are -1.
    bool is_foreign() const noexcept;
    // The same for equal members; for both sides of an intercommunicator, and for all worlds, too.
    uint64_t hash() const noexcept;

    // Those of a communicator between a world and its parent.
    enum class Side : uint8_t { parent, child };
    void identify(uint64_t id, Side own) noexcept;
    // Those of a communicator that was made of `origin`, whose members have these identities.
    void identify(MPI_Comm origin, const uint64_t* identities) noexcept;
    // Null where there are none, or they are not known.
    const uint64_t* identities() const noexcept { return identities_; }

    // The list, to be freed by the caller; null afterwards.
    int32_t* release() noexcept {
        int32_t* ranks = ranks_;
        ranks_ = nullptr;
        return ranks;
    }
    uint64_t* release_identities() noexcept {
        uint64_t* identities = identities_;
        identities_ = nullptr;
        return identities;
    }

 private:
    void add_group(MPI_Group group, uint32_t first, uint32_t count) noexcept;
    bool make_identities() noexcept;
    bool identify_group(Part part, MPI_Comm origin, const uint64_t* identities) noexcept;

    MPI_Comm comm_;
    uint32_t size_ = 0, remote_size_ = 0;
    int32_t* ranks_ = nullptr;
    uint64_t* identities_ = nullptr;
};

}  // namespace ovni::mpi
