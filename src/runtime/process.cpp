#include "runtime/process.hpp"

#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "core/launcher.hpp"
#include "core/loaded_library.hpp"
#include "core/wanted_events.hpp"
#include "ovni.h"
#include "ovni/private.h"
#include "ring/diagnostics.hpp"
#include "ring/posix_io.hpp"

namespace ovni::writer {

constinit Immortal<Process> the_process;

namespace {

std::vector<Cpu> numbered(const std::vector<int>& phyids) {
    std::vector<Cpu> cpus;
    for (int phyid : phyids) cpus.push_back({static_cast<int>(cpus.size()), phyid});
    return cpus;
}

// Then MPI_Init may give the CPUs other numbers.
bool finds_mpi() {
    return LoadedLibrary::first_symbol("PMPI_Init") != nullptr;
}

// The processes of a job have different masks, and have not agreed on the numbers of CPUs.
std::vector<int> all_cpus() {
    std::vector<int> cpus(static_cast<size_t>(std::max(get_nprocs_conf(), 1)));
    std::iota(cpus.begin(), cpus.end(), 0);
    return cpus;
}

// Up to the first dot.
std::string host_name() {
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0 || !*host || *host == '.') return "localhost";
    return std::string(host, strcspn(host, "."));
}

}  // namespace

std::vector<int> affinity_of_this_thread() {
    constexpr int most_cpus = 8192;
    constexpr int bits = 8 * sizeof(unsigned long);
    unsigned long mask[most_cpus / bits] = {};
    std::vector<int> cpus;
    long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
    for (int cpu = 0; cpu < bytes * 8; ++cpu)
        if (mask[cpu / bits] >> (cpu % bits) & 1) cpus.push_back(cpu);
    return cpus;
}

int Facts::index_of(int phyid) const {
    for (Cpu cpu : cpus)
        if (cpu.phyid == phyid) return cpu.index;
    return -1;
}

void Process::begin_init(const char* function) {
    ProcessState seen = ProcessState::uninit;
    if (state_.compare_exchange_strong(seen, ProcessState::initializing)) return;
    fatal(function, "%s",
          seen == ProcessState::initializing ? "another thread is initializing this process"
          : seen == ProcessState::ready      ? "this process is already initialized"
                                             : "this process is already finished");
}

void Process::finish_init(int app, const char* loom, int pid) {
    {
        Lock lock(mutex_);
        initialised_ = true;
        has_program_rank_ = false;
        program_cpus_.clear();
        app_ = app;
        texts().loom = loom;
        pid_ = pid;
        parent_ = 0;
        read_environment();
    }
    inherited_.store(false, std::memory_order_relaxed);
    for (const std::string& root : {texts().roots.trace, texts().roots.temporary}) {
        std::string directory = process_directory(root, loom, pid);
        if (!root.empty() && !make_directory(directory))
            complain(Trouble::directory, "ovni_proc_init", "cannot make directory %s:", directory.c_str());
    }
    state_.store(ProcessState::ready, std::memory_order_release);
}

void Process::finish(const char* function) {
    ProcessState seen = ProcessState::ready;
    if (!state_.compare_exchange_strong(seen, ProcessState::gone))
        fatal(function, "the process is not ready");
    Lock lock(mutex_);
    if (!texts().roots.temporary.empty()) remove_empty(texts().roots.temporary, texts().loom, pid_);
}

void Process::identify(const ovni_private_identity& identity) {
    Lock lock(mutex_);
    // libovni-mpi samples at calls, whether libovni-threads is there or not.
    samples_cpus_ = wants_cpu_samples();
    identified_ = !identity.is_provisional;
    is_default_ = false;
    is_in_mpi_.store(true, std::memory_order_relaxed);
    identity_app_ = identity.app > 0 ? identity.app : 1;
    texts().identity_loom = identity.loom && *identity.loom ? identity.loom : host_name();
    if (identity.host) texts().host = identity.host;
    if (identity.run) texts().run = identity.run;
    rank_ = identity.rank;
    nranks_ = identity.nranks;
    identity_cpus_ = numbered(std::vector<int>(identity.cpus, identity.cpus + identity.ncpus));
    if (identified_) publish_identity_locked();
}

// The first words, as every stream has them.
static std::vector<std::string> command_line() {
    constexpr size_t most = 1000;  // bytes
    const std::string all = read_text("/proc/self/cmdline").value_or("");
    std::vector<std::string> words;
    for (size_t at = 0, end = 0; at < all.size(); at = end + 1) {
        end = std::min(all.find('\0', at), all.size());
        if (end > most) {
            words.emplace_back("...");
            break;
        }
        words.push_back(all.substr(at, end - at));
    }
    // A program may have shortened the title that the system shows of it.
    while (!words.empty() && words.back().empty()) words.pop_back();
    return words;
}

void Process::read_environment() {
    texts().roots = Roots::from_environment();
    if (const char* run = secure_getenv("OVNI_RUN"); run && *run && texts().run.empty()) texts().run = run;
    texts().command = command_line();
    prepared_ = true;
}

void Process::prepare() {
    Lock lock(mutex_);
    if (!prepared_) read_environment();
    if (affinity_.empty()) affinity_ = numbered(affinity_of_this_thread());
}

void Process::add_program_cpu(Cpu cpu) {
    Lock lock(mutex_);
    program_cpus_.push_back(cpu);
}

void Process::set_program_rank() {
    Lock lock(mutex_);
    has_program_rank_ = true;
}

std::string Process::loom_of_identity() {
    return texts().identity_loom.empty() ? host_name() : texts().identity_loom;
}

Facts Process::facts() {
    Lock lock(mutex_);
    Facts facts;
    facts.app = initialised_ ? app_ : identity_app_;
    facts.pid = initialised_ ? pid_ : getpid();
    facts.parent = parent_;
    facts.loom = initialised_ ? texts().loom : loom_of_identity();
    // A guess does not apply to a process that has set its identity itself.
    const bool is_guess = initialised_ && is_default_;
    if (!is_guess) facts.host = texts().host;
    facts.run = texts().run;
    facts.command = texts().command;
    if (const SessionHeader* session = session_.load(std::memory_order_acquire)) {
        facts.began = session->began;
        facts.time_offset = session->time_offset;
    }
    if (rank_ >= 0 && !has_program_rank_ && !is_guess) facts.rank = rank_, facts.nranks = nranks_;
    // The CPUs of another loom have other indices.
    bool same_loom = !initialised_ || (identified_ && texts().loom == texts().identity_loom);
    const bool are_known = identified_ || is_default_;
    if (program_cpus_.empty() && same_loom) facts.identity_cpus = are_known ? identity_cpus_ : affinity_;
    if (is_default_ && !initialised_) take_default(facts);
    facts.cpus = program_cpus_.empty() ? facts.identity_cpus : program_cpus_;
    facts.identified = identified_;
    facts.cpus_are_given = identified_ || !program_cpus_.empty() || (is_default_ && !may_call_mpi_);
    facts.samples_cpus = samples_cpus_;
    facts.roots = texts().roots;
    return facts;
}

// Knowledge of another process of that directory is better than the guess of this one.
void Process::take_default(Facts& facts) {
    const SessionHeader* session = session_.load(std::memory_order_acquire);
    if (!session) return;
    if (facts.run.empty()) facts.run.assign(session->run, strnlen(session->run, sizeof session->run));
    const std::optional<Identity> published = session->identity.read();
    if (!published) return;
    facts.app = published->app;
    facts.loom = published->loom;
    facts.host = published->host;
    facts.run = published->run;
    facts.rank = published->rank;
    facts.nranks = published->nranks;
    if (published->is_of_mpi) facts.rank = -1;
    facts.identity_cpus = numbered(published->cpus);
}

void Process::introduce_by_environment() {
    Lock lock(mutex_);
    if (identified_ || is_default_ || initialised_) return;
    is_default_ = true;
    may_call_mpi_ = finds_mpi();
    // libovni-mpi samples at calls, whether libovni-threads is there or not.
    samples_cpus_ = wants_cpu_samples();
    texts().host = host_name();
    const int rank = rank_by_launcher(), size = size_by_launcher();
    if (rank >= 0 && rank < size) rank_ = rank, nranks_ = size;
    const char* wanted = secure_getenv("OVNI_LOOM");
    const bool is_name = wanted && *wanted && !strchr(wanted, '/');
    if (!is_name || is_set_to("OVNI_LOOM", "host"))
        texts().identity_loom = texts().host;
    else if (!is_set_to("OVNI_LOOM", "rank"))
        texts().identity_loom = wanted;
    else
        texts().identity_loom = texts().host + "." + std::to_string(std::max(rank_, 0));
    identity_cpus_ = numbered(nranks_ > 1 ? all_cpus() : affinity_of_this_thread());
}

bool Process::may_be_identified() {
    Lock lock(mutex_);
    return !identified_ && !initialised_ && may_call_mpi_;
}

void Process::publish_identity() {
    Lock lock(mutex_);
    SessionHeader* session = session_.load(std::memory_order_acquire);
    if (identified_ || (session && !session->identity.is_published())) publish_identity_locked();
}

void Process::publish_identity_locked() {
    SessionHeader* session = session_.load(std::memory_order_acquire);
    if (!session || initialised_ || !(identified_ || is_default_)) return;
    Identity identity{identity_app_,      rank_,        nranks_,     identified_,
                      loom_of_identity(), texts().host, texts().run, {}};
    if (identity.run.empty()) identity.run.assign(session->run, strnlen(session->run, sizeof session->run));
    for (Cpu cpu : identity_cpus_) identity.cpus.push_back(cpu.phyid);
    session->identity.publish(identity);
}

const char* Process::trace_directory() {
    prepare();
    Lock lock(mutex_);
    // An earlier result stays valid even if a later ovni_proc_init finds another environment.
    if (!trace_directory_ || texts().roots.trace != trace_directory_)
        trace_directory_ = strdup(texts().roots.trace.c_str());
    return trace_directory_;
}

void Process::copy_run_of_session(std::span<char> to) const {
    const SessionHeader* session = session_.load(std::memory_order_acquire);
    if (session) snprintf(to.data(), to.size(), "%s", session->run);
}

void Process::start_over_in_child(bool had_streams) {
    bool used = state_.load(std::memory_order_relaxed) != ProcessState::uninit || had_streams;
    if (used) inherited_.store(true, std::memory_order_relaxed);
    state_.store(ProcessState::uninit, std::memory_order_relaxed);
    leave_mpi();
    parent_ = pid_ != 0 ? pid_ : static_cast<int>(getppid());
    pid_ = getpid();
}

}  // namespace ovni::writer
