#include "mpi/interpose/job.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/label_hash.hpp"
#include "core/launcher.hpp"
#include "core/wanted_events.hpp"
#include "mpi/interpose/base/report.hpp"
#include "mpi/interpose/books/communicators.hpp"
#include "mpi/interpose/books/requests.hpp"
#include "mpi/interpose/books/unrecorded.hpp"
#include "mpi/interpose/job/clock_points.hpp"
#include "mpi/interpose/job/cpu_use.hpp"
#include "mpi/interpose/job/cpus.hpp"
#include "mpi/interpose/job/host.hpp"
#include "mpi/interpose/job/is_set.hpp"
#include "mpi/interpose/job/run.hpp"
#include "mpi/interpose/job/spawned.hpp"
#include "mpi/interpose/job/traced_ranks.hpp"
#include "mpi/interpose/library/own_session.hpp"
#include "mpi/interpose/sites/agreement.hpp"
#include "mpi/interpose/sites/control_starts.hpp"
#include "mpi/interpose/sites/sites.hpp"
#include "mpi/interpose/streams/call_sites.hpp"
#include "mpi/interpose/streams/counted.hpp"
#include "mpi/interpose/streams/recorder.hpp"
#include "mpi/interpose/streams/selection.hpp"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

struct LoomName {
    char text[512];
};

// A spawned world has looms of its own: its ranks may run on other CPUs of the same host. So does each rank
// that cannot agree with the others on the CPUs of their host.
LoomName loom_of(const Host& host, uint32_t world, bool are_together) noexcept {
    LoomName loom;
    const char* wanted = secure_getenv("OVNI_LOOM");
    const bool is_default = !wanted || !*wanted || strchr(wanted, '/') || strcmp(wanted, "host") == 0;
    if (is_default && are_together)
        snprintf(loom.text, sizeof loom.text, "%s", host.name);
    else if (is_default || strcmp(wanted, "rank") == 0)
        snprintf(loom.text, sizeof loom.text, "%s.%d", host.name, rank_in_world());
    else
        snprintf(loom.text, sizeof loom.text, "%s", wanted);
    size_t used = strlen(loom.text);
    if (world != 1) snprintf(loom.text + used, sizeof loom.text - used, ".world%u", world);
    return loom;
}

int appnum() noexcept {
    int* number = nullptr;
    int found = 0;
    if (has_own_session()) return 0;
    OVNI_PMPI(Comm_get_attr)(comm_world(), MPI_APPNUM, static_cast<void*>(&number), &found);
    return found && number && *number >= 0 ? *number : 0;
}

// Wrappers of the program, a shell or a debugger, write streams of the same run before anybody calls
// MPI_Init.
RunName name_of_run(bool are_together) noexcept {
    if (const RunName given = RunName::given(); given.text[0]) return given;
    // The other parts of the job cannot be asked.
    if (!are_together && name_of_job().text[0]) return name_of_job();
    if (const RunName job = RunName::of_job(); job.text[0]) return job;
    const RunName session = RunName::of_session();
    return session.text[0] ? session : RunName::chosen_here();
}

// The first rank names the run; where no process has streams of the program yet, older traces are moved away
// first.
RunName agree_on_run(const PrivateComm& job, const PrivateComm& leaders, const Birth& birth,
                     bool are_together) noexcept {
    int keep = !ovni_private_process_is_ours() || birth.world != 1 || is_set("OVNI_APPEND");
    int anybody_keeps = 1;
    if (!job.any(keep, anybody_keeps)) anybody_keeps = 1;
    RunName run = name_of_run(are_together);
    if (leaders.valid() && !anybody_keeps && leaders.bcast(run.text, RunName::most))
        move_older_traces(leaders, ovni_private_trace_directory(), run);
    job.bcast(run.text, RunName::most);
    return run;
}

// Spawned worlds continue after the applications of the first.
int applications_of(const PrivateComm& job, const Birth& birth) noexcept {
    int highest = appnum();
    if (birth.applications > 0 || !job.any(appnum(), highest)) return std::max(birth.applications, 1);
    return highest + 1;
}

void identify(const Host& host, const LoomName& loom, const RunName& run, const Birth& birth,
              const Cpus& cpus) noexcept {
    static int numbers[Cpus::most];
    ovni_private_identity identity{};
    identity.app = birth.app_id(appnum());
    identity.loom = loom.text;
    identity.host = host.name;
    identity.run = run.text;
    identity.rank = rank_in_world();
    identity.nranks = size_of_world();
    identity.cpus = numbers;
    identity.ncpus = cpus.list(numbers);
    ovni_private_identify(&identity);
}

// A launcher of another MPI starts ranks that do not find each other.
void report_foreign_launcher() noexcept {
    static Report alone{
        "the launcher started %s processes, but each has an MPI_COMM_WORLD of its own: use the launcher of "
        "the "
        "program's MPI"};
    const int started = size_by_launcher();
    if (started < 2 || size_of_world() != 1 || !is_first_rank() || secure_getenv("OVNI_SPAWNED")) return;
    char number[16];
    snprintf(number, sizeof number, "%d", started);
    alone.once(number);
}

void introduce_alone() noexcept {
    const bool are_together = size_of_world() == 1;
    Birth birth = Birth::of_world();
    Host host = Host::alone();
    identify(host, loom_of(host, birth.world, are_together), name_of_run(are_together), birth,
             Cpus::of_process());
}

void introduce_among(const PrivateComm& job, bool are_together) noexcept {
    PrivateComm node = job.on_same_node();
    if (!node.valid()) return introduce_alone();
    PrivateComm leaders = job.leaders(node);
    Host host = Host::among(leaders, node);
    Birth birth = Birth::of_world();
    RunName run = agree_on_run(job, leaders, birth, are_together);
    // The reference of a spawned world would be another one.
    char are_measured = birth.world == 1 && prepare_clock_points(leaders, host);
    LoomName loom = loom_of(host, birth.world, are_together);
    Cpus cpus = Cpus::of_process();
    // This is needed even if a loom is one rank: its only CPU must not count as the first of the node.
    cpus.unite(node);
    PrivateComm loom_mates = job.split(static_cast<int>(label_hash(loom.text) & 0x7fffffff));
    if (loom_mates.valid()) cpus.unite(loom_mates);
    remember_run(run, applications_of(job, birth));
    identify(host, loom, run, birth, cpus);
    if (!node.bcast(&are_measured, 1) || !are_measured) return;
    take_clock_point(Occasion::init);
    node.barrier_asleep();
}

}  // namespace

void start_recording() noexcept {
    select_functions();
    select_call_sites();
    count_at_borders();
    keep_account(!wants_reference_events());
    set_recording(true);
    await_calls();
}

void introduce_provisionally() noexcept {
    int saved = errno;
    const int rank = rank_by_launcher(), size = size_by_launcher();
    // Ranks of the launcher are those of the first world.
    const bool is_spawned = secure_getenv("OVNI_SPAWNED");
    if (rank < 0 || (size < 2 && !is_spawned)) return;
    LoomName loom;
    const Host host = Host::alone();
    if (is_spawned)
        snprintf(loom.text, sizeof loom.text, "%s.spawned%d", host.name, getpid());
    else
        snprintf(loom.text, sizeof loom.text, "%s.%d", host.name, rank);
    ovni_private_identity identity{};
    identity.app = 1;
    identity.loom = loom.text;
    identity.host = host.name;
    identity.rank = is_spawned ? -1 : rank;
    identity.nranks = is_spawned ? 0 : size;
    identity.is_provisional = 1;
    ovni_private_identify(&identity);
    errno = saved;
}

void introduce_process() noexcept {
    int saved = errno;
    auto [job, are_together] = find_traced_ranks();
    if (!has_own_session()) report_foreign_launcher();
    if (job.valid())
        introduce_among(job, are_together);
    else
        introduce_alone();
    const bool sample = wants_cpu_samples();
    sampling_cpus.store(sample, std::memory_order_relaxed);
    if (!has_own_session()) add_world();
    if (job.valid()) prepare_control_starts(job);
    if (job.valid() && !has_own_session()) prepare_agreement(job);
    int provided = MPI_THREAD_MULTIPLE;
    OVNI_PMPI(Query_thread)(&provided);
    several_threads = provided == MPI_THREAD_MULTIPLE;
    begin_cpu_use();
    errno = saved;
}

void part_from_ranks() noexcept {
    describe_cpu_use();
    end_agreement();
    report_control_starts();
    take_clock_point(Occasion::finalize);
    close_own_session();
}

void finish_recording() noexcept {
    int saved = errno;
    deselect_functions();
    if (Thread* thread = this_thread()) end_thread(*thread);
    set_recording(false);
    ovni_private_close_all(nullptr, 0);
    errno = saved;
}

void abort_recording(int code) noexcept {
    int saved = errno;
    set_recording(false);
    ovni_private_close_all("exit", code);
    errno = saved;
}

}  // namespace ovni::mpi
