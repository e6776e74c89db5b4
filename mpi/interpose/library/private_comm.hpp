// A communicator of the tracer, which never uses the program's communicators. Errors on it are return values.
#pragma once

#include <ctime>
#include <utility>

#include "mpi/interpose/library/own_session.hpp"
#include "mpi/interpose/library/predefined.hpp"

namespace ovni::mpi {

class PrivateComm {
 public:
    // All functions are collective. If a communicator could not be made, valid() is false.
    static PrivateComm of_world() noexcept {
        return made_of_world(
            [](MPI_Comm world, MPI_Comm* comm) { return OVNI_PMPI(Comm_dup)(world, comm) == MPI_SUCCESS; });
    }
    // Collective over these ranks of MPI_COMM_WORLD alone.
    static PrivateComm of_ranks(const int* ranks, int count) noexcept {
        return made_of_world([&](MPI_Comm world, MPI_Comm* comm) {
            constexpr int tag = 0x6f76;  // the only tag on tracer communicators
            MPI_Group all, some;
            if (OVNI_PMPI(Comm_group)(world, &all) != MPI_SUCCESS) return false;
            bool made = OVNI_PMPI(Group_incl)(all, count, ranks, &some) == MPI_SUCCESS;
            OVNI_PMPI(Group_free)(&all);
            if (!made) return false;
            made = OVNI_PMPI(Comm_create_group)(world, some, tag, comm) == MPI_SUCCESS;
            OVNI_PMPI(Group_free)(&some);
            return made;
        });
    }
    static PrivateComm of_own_session(const int* ranks, int count) noexcept {
        MPI_Comm comm = comm_null();
        const bool made = make_in_own_session(ranks, count, &comm);
        return PrivateComm(comm, made);
    }
    PrivateComm on_same_node() const noexcept {
        MPI_Comm comm = comm_null();
        return PrivateComm(comm, OVNI_PMPI(Comm_split_type)(comm_, MPI_COMM_TYPE_SHARED, rank(), info_null(),
                                                            &comm) == MPI_SUCCESS);
    }
    // The communicator of the ranks with this colour; none for MPI_UNDEFINED.
    PrivateComm split(int colour) const noexcept {
        MPI_Comm comm = comm_null();
        return PrivateComm(comm, OVNI_PMPI(Comm_split)(comm_, colour, rank(), &comm) == MPI_SUCCESS);
    }
    // The communicator of the lowest ranks of all nodes; none on other ranks.
    PrivateComm leaders(const PrivateComm& node) const noexcept {
        return split(node.rank() == 0 ? 0 : MPI_UNDEFINED);
    }
    ~PrivateComm() {
        if (valid()) OVNI_PMPI(Comm_free)(&comm_);
    }
    PrivateComm(const PrivateComm&) = delete;
    PrivateComm& operator=(const PrivateComm&) = delete;

    MPI_Comm get() const noexcept { return comm_; }
    bool valid() const noexcept { return comm_ != comm_null(); }
    // Hands the communicator over; it is not freed here any more.
    MPI_Comm release() noexcept { return std::exchange(comm_, comm_null()); }
    int rank() const noexcept {
        int rank = 0;
        OVNI_PMPI(Comm_rank)(comm_, &rank);
        return rank;
    }
    int size() const noexcept {
        int size = 1;
        OVNI_PMPI(Comm_size)(comm_, &size);
        return size;
    }
    bool bcast(char* text, int bytes) const noexcept {
        return OVNI_PMPI(Bcast)(text, bytes, type_char(), 0, comm_) == MPI_SUCCESS;
    }
    bool allgather(const char* own, int bytes, char* all) const noexcept {
        return OVNI_PMPI(Allgather)(own, bytes, type_char(), all, bytes, type_char(), comm_) == MPI_SUCCESS;
    }
    // A barrier that sleeps, so that waiting ranks leave the cores to ranks that still work.
    void barrier_asleep() const noexcept {
        MPI_Request request = request_null();
        int all_there = OVNI_PMPI(Ibarrier)(comm_, &request) != MPI_SUCCESS;
        while (!all_there) {
            if (OVNI_KNOWN_PMPI(Test)(&request, &all_there, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
            const timespec nap{0, 500'000};
            if (!all_there) nanosleep(&nap, nullptr);
        }
    }
    bool any(int own, int& result) const noexcept {
        return OVNI_PMPI(Allreduce)(&own, &result, 1, type_int(), op_max(), comm_) == MPI_SUCCESS;
    }
    bool unite(const unsigned long* own, unsigned long* result, int count) const noexcept {
        return OVNI_PMPI(Allreduce)(own, result, count, type_unsigned_long(), op_bor(), comm_) == MPI_SUCCESS;
    }

 private:
    PrivateComm(MPI_Comm comm, bool made) noexcept : comm_(made ? comm : comm_null()) {}
    // The program's error handler must not see errors of the tracer.
    template <class Make>
    static PrivateComm made_of_world(Make make) noexcept {
        MPI_Comm world = comm_world(), comm = comm_null();
        MPI_Errhandler theirs;
        OVNI_PMPI(Comm_get_errhandler)(world, &theirs);
        OVNI_PMPI(Comm_set_errhandler)(world, errors_return());
        bool made = make(world, &comm);
        OVNI_PMPI(Comm_set_errhandler)(world, theirs);
        OVNI_PMPI(Errhandler_free)(&theirs);
        return PrivateComm(comm, made);
    }
    MPI_Comm comm_;
};

}  // namespace ovni::mpi
