// The members of a communicator, as ranks in MPI_COMM_WORLD. Members of another world have no such rank. Both
// worlds know them by an identity, computed from the communicator that a world shares with its parent.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdlib>

namespace ovni::mpi {

// Members are in the order of their ranks, those of the remote group behind the others.
class Members {
 public:
    enum class Part : uint8_t { local, remote };
    // `of_world`: the members are known to have the ranks of MPI_COMM_WORLD.
    enum class Ranks : bool { any, of_world };
    // Empty if memory runs out or MPI returns an error. Later calls query the communicator again.
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
    // True if the ranks are those of MPI_COMM_WORLD.
    bool is_world() const noexcept;
    // True if any member belongs to another world; the rank of such a member is -1.
    bool is_foreign() const noexcept;
    // Equal for equal members, on both sides of an intercommunicator, and in all worlds.
    uint64_t hash() const noexcept;

    // Identifies the members of a communicator between a world and its parent.
    enum class Side : uint8_t { parent, child };
    void identify(uint64_t id, Side own) noexcept;
    // Identifies members by `identities`, which are those of the members of `origin`.
    void identify(MPI_Comm origin, const uint64_t* identities) noexcept;
    // Null if there are none, or if they are not known.
    const uint64_t* identities() const noexcept { return identities_; }

    // Hands the list over to the caller, who frees it.
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
