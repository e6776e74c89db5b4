// Keys that ranks of a job set for each other at their launcher, by PMIx: Open MPI has a client of it in each
// process. Its library is loaded at first use, so nothing here needs it to be installed; the build needs its
// header, pmix_common.h of the PMIx standard, and without one all functions return false. The blocking
// functions ask the launcher's server on the same node.
#pragma once

namespace ovni::mpi {

class Pmix {
 public:
    // False if no launcher with PMIx has started this process.
    bool open() noexcept;
    // The client counts its users: that of MPI goes on.
    void close() noexcept;
    bool is_open() const noexcept { return get_ != nullptr; }

    // Sets a key of this rank. Others see it when their MPI_Init, which waits for this rank's, is over.
    bool put(const char* key) noexcept;
    // True if that rank of this job has set the key. Does not wait.
    bool has(int rank, const char* key) const noexcept;
    // Asks the server of that rank if need be, which may take so many seconds.
    bool ask(int rank, const char* key, int seconds) const noexcept;

 private:
    void* library_ = nullptr;
    void* get_ = nullptr;  // PMIx_Get
};

}  // namespace ovni::mpi
