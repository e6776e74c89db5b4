#include "mpi/trace/members.hpp"

#include <algorithm>

#include "mpi/trace/handle_table.hpp"
#include "mpi/trace/predefined.hpp"

namespace ovni::mpi {

namespace {

constexpr int32_t of_another_world = -1;

uint32_t size_of(MPI_Comm comm, bool remote) noexcept {
    int size = 0;
    if (remote)
        OVNI_KNOWN_PMPI(Comm_remote_size)(comm, &size);
    else
        OVNI_KNOWN_PMPI(Comm_size)(comm, &size);
    return static_cast<uint32_t>(std::max(size, 0));
}

uint64_t hash_of(const int32_t* ranks, uint32_t count) noexcept {
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; ++i) hash = mix(hash, static_cast<uint32_t>(ranks[i]));
    return hash;
}

}  // namespace

Members::Members(MPI_Comm comm) noexcept {
    int inter = 0;
    if (OVNI_KNOWN_PMPI(Comm_test_inter)(comm, &inter) != MPI_SUCCESS) return;
    size_ = size_of(comm, false);
    remote_size_ = inter ? size_of(comm, true) : 0;
    ranks_ = static_cast<int32_t*>(malloc(std::max<size_t>(all(), 1) * sizeof *ranks_));
    if (!ranks_) return;
    MPI_Group group;
    OVNI_KNOWN_PMPI(Comm_group)(comm, &group);
    add_group(group, 0, size_);
    if (!inter) return;
    OVNI_KNOWN_PMPI(Comm_remote_group)(comm, &group);
    add_group(group, size_, remote_size_);
}

void Members::add_group(MPI_Group group, uint32_t first, uint32_t count) noexcept {
    MPI_Group world;
    OVNI_KNOWN_PMPI(Comm_group)(comm_world(), &world);
    auto* numbers = static_cast<int*>(malloc(std::max<size_t>(count, 1) * sizeof(int)));
    for (uint32_t i = 0; numbers && i < count; ++i) numbers[i] = static_cast<int>(i);
    bool known = numbers && OVNI_KNOWN_PMPI(Group_translate_ranks)(group, static_cast<int>(count), numbers,
                                                                   world, ranks_ + first) == MPI_SUCCESS;
    for (uint32_t i = first; i < first + count; ++i)
        if (!known || ranks_[i] < 0) ranks_[i] = of_another_world;
    free(numbers);
    OVNI_KNOWN_PMPI(Group_free)(&world);
    OVNI_KNOWN_PMPI(Group_free)(&group);
}

bool Members::is_world() const noexcept {
    if (!ranks_ || remote_size_ != 0 || size_ != size_of(comm_world(), false)) return false;
    for (uint32_t i = 0; i < size_; ++i)
        if (ranks_[i] != static_cast<int32_t>(i)) return false;
    return true;
}

bool Members::is_foreign() const noexcept {
    return !ranks_ || std::find(ranks_, ranks_ + all(), of_another_world) != ranks_ + all();
}

uint64_t Members::hash() const noexcept {
    if (!ranks_) return 0;
    uint64_t ours = hash_of(ranks_, size_), theirs = hash_of(ranks_ + size_, remote_size_);
    return mix(std::min(ours, theirs), std::max(ours, theirs));
}

}  // namespace ovni::mpi
