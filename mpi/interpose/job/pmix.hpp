// PMIx keys, by which the ranks of a job exchange facts through their launcher. Open MPI has a PMIx client in
// each process. The library is loaded at first use and need not be installed. The build needs the header
// pmix.h of the PMIx standard; without it all functions return false. The blocking functions ask the
// launcher's server on the node.
#pragma once

namespace ovni::mpi {

class Pmix {
 public:
    // False if the process was not started by a launcher with PMIx.
    bool open() noexcept;
    // The client counts its users, so MPI's own use goes on.
    void close() noexcept;
    bool is_open() const noexcept { return get_ != nullptr; }

    // Sets a key of this rank. Others see it after MPI_Init, which synchronizes all ranks.
    bool put(const char* key) noexcept;
    // True if that rank of this job has set the key. Does not wait.
    bool has(int rank, const char* key) const noexcept;
    // True if that rank has set the key. Waits up to `seconds` for the server of that rank.
    bool ask(int rank, const char* key, int seconds) const noexcept;

 private:
    [[maybe_unused]] void* library_ = nullptr;
    void* get_ = nullptr;  // PMIx_Get
};

}  // namespace ovni::mpi
