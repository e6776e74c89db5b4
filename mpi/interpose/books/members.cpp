#include "mpi/interpose/books/members.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "mpi/interpose/base/handle_table.hpp"
#include "mpi/interpose/library/own_session.hpp"
#include "mpi/interpose/library/predefined.hpp"

namespace ovni::mpi {

namespace {

using Part = Members::Part;

constexpr int32_t of_another_world = -1;

uint32_t size_of(MPI_Comm comm, Part part) noexcept {
    int size = 0;
    if (part == Part::remote)
        OVNI_KNOWN_PMPI(Comm_remote_size)(comm, &size);
    else
        OVNI_KNOWN_PMPI(Comm_size)(comm, &size);
    return static_cast<uint32_t>(std::max(size, 0));
}

uint32_t size_of(const WorldGroup& world) noexcept {
    int size = 0;
    OVNI_KNOWN_PMPI(Group_size)(world, &size);
    return static_cast<uint32_t>(std::max(size, 0));
}

template <class Number>
uint64_t hash_of_members(const Number* numbers, uint32_t count) noexcept {
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; ++i)
        hash = mix(hash, static_cast<std::make_unsigned_t<Number>>(numbers[i]));
    return hash;
}

// Ranks of the members of one group in another; MPI_UNDEFINED for those that are not there.
class RanksInGroup {
 public:
    RanksInGroup(MPI_Group from, uint32_t count, MPI_Group to) noexcept
        : ranks_(static_cast<int*>(malloc(2 * std::max<size_t>(count, 1) * sizeof(int)))) {
        if (!ranks_) return;
        int *own = ranks_ + count, size = static_cast<int>(count);
        for (int i = 0; i < size; ++i) own[i] = i;
        if (OVNI_KNOWN_PMPI(Group_translate_ranks)(from, size, own, to, ranks_) == MPI_SUCCESS) return;
        free(ranks_);
        ranks_ = nullptr;
    }
    ~RanksInGroup() { free(ranks_); }
    RanksInGroup(const RanksInGroup&) = delete;
    RanksInGroup& operator=(const RanksInGroup&) = delete;

    int operator[](uint32_t i) const noexcept { return ranks_ ? ranks_[i] : MPI_UNDEFINED; }

 private:
    int* ranks_;
};

struct Batch {
    const int* own;
    int *found, many;
};

class Group {
 public:
    Group(MPI_Comm comm, Part part) noexcept {
        if (part == Part::local)
            OVNI_KNOWN_PMPI(Comm_group)(comm, &group_);
        else
            OVNI_KNOWN_PMPI(Comm_remote_group)(comm, &group_);
    }
    ~Group() { OVNI_KNOWN_PMPI(Group_free)(&group_); }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    operator MPI_Group() const noexcept { return group_; }

 private:
    MPI_Group group_;
};

void find_between(MPI_Group group, MPI_Group world, int begin, int last, const Batch& batch) noexcept {
    int range[1][3] = {{begin, last, 1}};
    MPI_Group part;
    if (OVNI_KNOWN_PMPI(Group_range_incl)(world, 1, range, &part) != MPI_SUCCESS) return;
    OVNI_KNOWN_PMPI(Group_translate_ranks)(group, batch.many, batch.own, part, batch.found);
    for (int i = 0; i < batch.many; ++i)
        if (batch.found[i] >= 0) batch.found[i] += begin;
    OVNI_KNOWN_PMPI(Group_free)(&part);
}

void find_missing(MPI_Group group, MPI_Group world, const Batch& batch) noexcept {
    for (int i = 0; i < batch.many; ++i)
        if (batch.found[i] < 0)
            OVNI_KNOWN_PMPI(Group_translate_ranks)(group, 1, batch.own + i, world, batch.found + i);
}

bool is_inter(MPI_Comm comm) noexcept {
    int inter = 0;
    return OVNI_KNOWN_PMPI(Comm_test_inter)(comm, &inter) == MPI_SUCCESS && inter;
}

}  // namespace

Members::Members(MPI_Comm comm, Ranks known) noexcept : comm_(comm) {
    int inter = 0;
    if (OVNI_KNOWN_PMPI(Comm_test_inter)(comm, &inter) != MPI_SUCCESS) return;
    size_ = size_of(comm, Part::local);
    remote_size_ = inter ? size_of(comm, Part::remote) : 0;
    ranks_ = static_cast<int32_t*>(malloc(std::max<size_t>(all(), 1) * sizeof *ranks_));
    if (!ranks_) return;
    if (known == Ranks::of_world && !inter) {
        std::iota(ranks_, ranks_ + size_, 0);
        return;
    }
    add_group(Group(comm, Part::local), 0, size_);
    if (inter) add_group(Group(comm, Part::remote), size_, remote_size_);
}

// MPI_Group_translate_ranks may look through all of the other group for each rank. Most communicators have
// their members in the order of MPI_COMM_WORLD, at steps of one width: so those of a batch are looked for in
// a part of it, behind the batch before, and only others everywhere.
void Members::add_group(MPI_Group group, uint32_t first, uint32_t count) noexcept {
    constexpr int batch = 128, reach = 2 * batch;
    int size = static_cast<int>(count), next = 0, step = 1;
    int own[batch], found[batch];
    const WorldGroup world;
    const auto of_world = static_cast<int>(size_of(world));
    for (int begin = 0; begin < size; begin += batch) {
        int many = std::min(batch, size - begin);
        std::iota(own, own + many, begin);
        std::fill_n(found, many, MPI_UNDEFINED);
        int last = static_cast<int>(std::min<int64_t>(int64_t{next} + int64_t{step} * reach, of_world)) - 1;
        if (of_world > reach && next <= last) find_between(group, world, next, last, {own, found, many});
        find_missing(group, world, {own, found, many});
        int32_t* ranks = ranks_ + first + begin;
        for (int i = 0; i < many; ++i) ranks[i] = found[i] < 0 ? of_another_world : found[i];
        if (found[many - 1] < 0) continue;
        next = found[many - 1] + 1;
        step = many > 1 && found[many - 2] >= 0 ? std::max(1, next - 1 - found[many - 2]) : 1;
    }
}

bool Members::make_identities() noexcept {
    if (!identities_ && ranks_) identities_ = static_cast<uint64_t*>(malloc(all() * sizeof *identities_));
    return identities_ != nullptr;
}

void Members::identify(uint64_t id, Side own) noexcept {
    if (!make_identities()) return;
    for (uint32_t i = 0; i < all(); ++i) {
        bool of_parent = (own == Side::parent) == (i < size_);
        identities_[i] = mix(mix(id, of_parent), i < size_ ? i : i - size_);
    }
}

void Members::identify(MPI_Comm origin, const uint64_t* identities) noexcept {
    if (!make_identities()) return;
    bool known = identify_group(Part::local, origin, identities) &&
                 (remote_size_ == 0 || identify_group(Part::remote, origin, identities));
    if (!known) free(release_identities());
}

bool Members::identify_group(Part part, MPI_Comm origin, const uint64_t* identities) noexcept {
    Group group(comm_, part);
    uint32_t first = part == Part::local ? 0 : size_, count = part == Part::local ? size_ : remote_size_;
    uint32_t origin_size = size_of(origin, Part::local);
    RanksInGroup here(group, count, Group(origin, Part::local));
    RanksInGroup beyond(group, count, Group(origin, is_inter(origin) ? Part::remote : Part::local));
    for (uint32_t i = 0; i < count; ++i) {
        if (here[i] < 0 && beyond[i] < 0) return false;
        auto place = static_cast<uint32_t>(here[i] >= 0 ? here[i] : beyond[i]);
        identities_[first + i] = identities[here[i] >= 0 ? place : origin_size + place];
    }
    return true;
}

bool Members::is_world() const noexcept {
    if (!ranks_ || remote_size_ != 0 || size_ != size_of(WorldGroup())) return false;
    for (uint32_t i = 0; i < size_; ++i)
        if (ranks_[i] != static_cast<int32_t>(i)) return false;
    return true;
}

bool Members::is_foreign() const noexcept {
    return !ranks_ || std::find(ranks_, ranks_ + all(), of_another_world) != ranks_ + all();
}

uint64_t Members::hash() const noexcept {
    if (!ranks_) return 0;
    auto of_both = [&](const auto* numbers) {
        uint64_t ours = hash_of_members(numbers, size_),
                 theirs = hash_of_members(numbers + size_, remote_size_);
        return mix(std::min(ours, theirs), std::max(ours, theirs));
    };
    return identities_ ? of_both(identities_) : of_both(ranks_);
}

}  // namespace ovni::mpi
