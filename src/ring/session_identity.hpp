// The identity of the processes of a run directory, once one of them knows it: from MPI_Init, before that a
// guess of the first process of ovnirun. A process without its own identity takes this one when its streams
// get their places. So the commands of a script get the loom and the run of the script's MPI program.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace ovni::writer {

struct Identity {
    int app = 1;
    int rank = -1, nranks = 0;  // -1: none
    bool is_of_mpi = false;     // the rank belongs to an MPI process, so no other process may take it
    std::string loom, host, run;
    std::vector<int> cpus;  // numbers of the system, ascending; the index of a CPU is its position
};

// In shared memory. A writer makes `version` odd while it writes. If it dies meanwhile, the identity can no
// longer be read.
class SharedIdentity {
 public:
    bool is_published() const { return version_.load(std::memory_order_acquire) != 0; }

    void publish(const Identity& identity) {
        uint32_t version = version_.load(std::memory_order_relaxed) & ~1U;
        if (!version_.compare_exchange_strong(version, version + 1, std::memory_order_acq_rel)) return;
        values_.app = identity.app;
        values_.rank = identity.rank;
        values_.nranks = identity.nranks;
        values_.is_of_mpi = identity.is_of_mpi ? 1 : 0;
        store(values_.loom, identity.loom);
        store(values_.host, identity.host);
        store(values_.run, identity.run);
        memset(values_.cpus, 0, sizeof values_.cpus);
        for (int cpu : identity.cpus)
            if (cpu >= 0 && cpu < most_cpus) values_.cpus[cpu / 64] |= uint64_t{1} << cpu % 64;
        version_.store(version + 2, std::memory_order_release);
    }

    // Empty if no process has published the identity, or one is writing it.
    std::optional<Identity> read() const {
        constexpr int attempts = 100;
        for (int attempt = 0; attempt < attempts; ++attempt) {
            const uint32_t before = version_.load(std::memory_order_acquire);
            if (before == 0) return std::nullopt;
            const Values copy = values_;
            std::atomic_thread_fence(std::memory_order_acquire);
            if (before % 2 == 0 && version_.load(std::memory_order_relaxed) == before) return of(copy);
        }
        return std::nullopt;
    }

 private:
    static constexpr int most_cpus = 8192;
    struct Values {
        int32_t app, rank, nranks, is_of_mpi;
        char loom[512], host[128], run[192];
        uint64_t cpus[most_cpus / 64];
    };

    template <size_t size>
    static void store(char (&to)[size], const std::string& text) {
        const size_t length = text.copy(to, size - 1);
        to[length] = '\0';
    }
    template <size_t size>
    static std::string text_in(const char (&from)[size]) {
        return {from, strnlen(from, size)};
    }
    static Identity of(const Values& values) {
        Identity identity{
            values.app,           values.rank,          values.nranks,       values.is_of_mpi != 0,
            text_in(values.loom), text_in(values.host), text_in(values.run), {}};
        for (int cpu = 0; cpu < most_cpus; ++cpu)
            if (values.cpus[cpu / 64] >> cpu % 64 & 1) identity.cpus.push_back(cpu);
        return identity;
    }

    std::atomic<uint32_t> version_;
    Values values_;
};

}  // namespace ovni::writer
