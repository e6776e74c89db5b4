// Keys that ranks of a job set for each other at their launcher, by PMIx: Open MPI has a client of
// it in each process. Its library is loaded at first use, so nothing here needs it to be installed. Types and
// numbers are those of the PMIx standard (pmix_common.h); the blocking functions ask the launcher's server on
// the same node.
#pragma once

#include <cstdint>

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

    // pmix_proc_t, pmix_value_t and pmix_info_t.
    struct Process {
        char job[256];
        uint32_t rank;
    };
    struct Value {
        uint16_t type;
        union {
            uint8_t byte;
            int number;
            void* words[3];
        } data;
    };
    struct Info {
        char key[512];
        uint32_t flags;
        Value value;
    };

 private:
    bool get(int rank, const char* key, const Info& how) const noexcept;

    using Get = int(const Process*, const char* key, const Info*, unsigned long infos, Value**);

    void* library_ = nullptr;
    Process own_{};
    Get* get_ = nullptr;
};

}  // namespace ovni::mpi
