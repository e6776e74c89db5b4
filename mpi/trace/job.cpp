#include "mpi/trace/job.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/label_hash.hpp"
#include "mpi/trace/communicators.hpp"
#include "mpi/trace/cpus.hpp"
#include "mpi/trace/host.hpp"
#include "mpi/trace/recorder.hpp"
#include "mpi/trace/requests.hpp"
#include "mpi/trace/run.hpp"
#include "mpi/trace/selection.hpp"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

struct LoomName {
    char text[512];
};

bool is_set(const char* variable) noexcept {
    const char* value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

bool says(const char* variable, const char* word) noexcept {
    const char* value = getenv(variable);
    return value && strcmp(value, word) == 0;
}

LoomName loom_of(const Host& host, int rank) noexcept {
    LoomName loom;
    const char* wanted = getenv("OVNI_LOOM");
    if (!wanted || !*wanted || strchr(wanted, '/') || strcmp(wanted, "host") == 0)
        snprintf(loom.text, sizeof loom.text, "%s", host.name);
    else if (strcmp(wanted, "rank") == 0)
        snprintf(loom.text, sizeof loom.text, "%s.%d", host.name, rank);
    else
        snprintf(loom.text, sizeof loom.text, "%s", wanted);
    return loom;
}

int app_id() noexcept {
    int* number = nullptr;
    int found = 0;
    OVNI_PMPI(Comm_get_attr)(comm_world(), MPI_APPNUM, static_cast<void*>(&number), &found);
    return found && number && *number >= 0 ? *number + 1 : 1;
}

bool was_spawned() noexcept {
    MPI_Comm parent = comm_null();
    return OVNI_PMPI(Comm_get_parent)(&parent) == MPI_SUCCESS && parent != comm_null();
}

// Rank 0 names the run; where no process has streams of the program yet, an older trace is moved away first.
RunName agree_on_run(const PrivateComm& job) noexcept {
    int keep = !ovni_private_process_is_ours() || was_spawned() || is_set("OVNI_APPEND");
    int anybody_keeps = 1;
    if (!job.any(keep, anybody_keeps)) anybody_keeps = 1;
    RunName run = RunName::chosen_here();
    if (job.rank() == 0 && !anybody_keeps) move_older_trace(ovni_private_trace_directory(), run);
    job.bcast(run.text, RunName::most);
    return run;
}

void identify(const LoomName& loom, const RunName& run, int rank, int ranks, const Cpus& cpus) noexcept {
    static int numbers[Cpus::most];
    ovni_private_identity identity{};
    identity.app = app_id();
    identity.loom = loom.text;
    identity.run = run.text;
    identity.rank = rank;
    identity.nranks = ranks;
    identity.cpus = numbers;
    identity.ncpus = cpus.list(numbers);
    ovni_private_identify(&identity);
}

void introduce_alone() noexcept {
    identify(loom_of(Host::alone(), 0), RunName::chosen_here(), -1, 0, Cpus::of_process());
}

void introduce_among(const PrivateComm& job) noexcept {
    PrivateComm node = job.on_same_node();
    if (!node.valid()) return introduce_alone();
    Host host = Host::among(job, node);
    LoomName loom = loom_of(host, job.rank());
    Cpus cpus = Cpus::of_process();
    // Also of a loom that is one rank: it must not call the one CPU that it is bound to the first of its
    // node.
    cpus.unite(node);
    PrivateComm loom_mates = job.split(static_cast<int>(label_hash(loom.text) & 0x7fffffff));
    if (loom_mates.valid()) cpus.unite(loom_mates);
    identify(loom, agree_on_run(job), job.rank(), job.size(), cpus);
}

}  // namespace

void start_recording() noexcept {
    select_functions();
    recording.store(true, std::memory_order_relaxed);
}

void introduce_process() noexcept {
    int saved = errno;
    PrivateComm job = PrivateComm::of_world();
    if (job.valid())
        introduce_among(job);
    else
        introduce_alone();
    bool sample = !says("OVNI_CPU", "virtual") && !wants_reference_events();
    sampling_cpus.store(sample, std::memory_order_relaxed);
    meet_world();
    int provided = MPI_THREAD_MULTIPLE;
    OVNI_PMPI(Query_thread)(&provided);
    several_threads = provided == MPI_THREAD_MULTIPLE;
    errno = saved;
}

void finish_recording() noexcept {
    int saved = errno;
    deselect_functions();
    if (Thread* thread = this_thread()) end_thread(*thread);
    recording.store(false, std::memory_order_relaxed);
    ovni_private_close_all(nullptr, 0);
    errno = saved;
}

void abort_recording(int code) noexcept {
    int saved = errno;
    recording.store(false, std::memory_order_relaxed);
    ovni_private_close_all("exit", code);
    errno = saved;
}

}  // namespace ovni::mpi
