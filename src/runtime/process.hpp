// The state of the process: its identity from ovni_proc_init() and from MPI_Init, and where the trace goes.
// Outlives every destructor. A fork's child inherits the identity of its parent. Until the child initialises
// itself, its calls are not checked.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ring/directories.hpp"
#include "ring/session.hpp"
#include "runtime/guard.hpp"

struct ovni_private_identity;

namespace ovni::writer {

struct Cpu {
    int index;
    int phyid;
};

enum class ProcessState { uninit, initializing, ready, gone };

// The identity of the process: from the program, else from MPI_Init, else from the system.
struct Facts {
    int app = 1;
    int pid = 0;
    int parent = 0;  // of a fork's child
    std::string loom;
    std::string host;                  // of MPI_Init; empty: unknown
    std::string run;                   // empty: unknown
    std::vector<std::string> command;  // the words of the command line; empty: unknown
    int64_t began = 0;                 // start of the run here, in s since 1970; 0: unknown
    int64_t time_offset = 0;           // ns by which the clock of events is ahead of the machine's
    int rank = -1, nranks = 0;         // from MPI_Init, if no thread has set a rank itself
    std::vector<Cpu> identity_cpus;    // if they are of this loom, and the program gave none
    std::vector<Cpu> cpus;             // of the loom, from any source
    bool identified = false;           // MPI_Init has given the identity
    bool cpus_are_given = false;       // false: guessed from the affinity
    bool samples_cpus =
        false;  // CPUs are sampled: a thread that may move begins on the CPU where it is seen first
    Roots roots;

    // The index of a CPU in the loom; -1: no CPU of the loom.
    int index_of(int phyid) const;
};

class Process {
 public:
    constexpr Process() = default;

    // Changes the state to initializing, or ends the program with a message.
    void begin_init(const char* function);
    void finish_init(int app, const char* loom, int pid);
    void finish(const char* function);

    ProcessState state() const { return state_.load(std::memory_order_acquire); }
    bool is_ready() const { return state() == ProcessState::ready; }
    // True in a fork's child that has not initialised itself.
    bool is_inherited() const { return inherited_.load(std::memory_order_relaxed); }

    // True between MPI_Init and MPI_Finalize, where exit() is no regular end.
    bool is_in_mpi() const { return is_in_mpi_.load(std::memory_order_relaxed); }
    void leave_mpi() { is_in_mpi_.store(false, std::memory_order_relaxed); }
    void identify(const ovni_private_identity& identity);
    // Reads the environment and the CPUs. The library may open a stream before ovni_proc_init().
    void prepare();
    void add_program_cpu(Cpu cpu);
    void set_program_rank();
    Facts facts();
    // The text lives as long as the process.
    const char* trace_directory();
    // Copies the run's name from the run directory, cut to the size of `to`. Copies nothing without a run
    // directory.
    void copy_run_of_session(std::span<char> to) const;

    // Sets the identity from the launcher and the system, until MPI_Init or ovni_proc_init() gives it.
    void introduce_by_environment();
    // True if the identity still is that of introduce_by_environment(). Takes no lock.
    bool is_known_by_environment() const { return is_default_.load(std::memory_order_relaxed); }
    // False once the identity is known, or if the process cannot call MPI.
    bool may_be_identified();
    // The run directory, which stays mapped. Takes no lock.
    void set_session(SessionHeader& session) { session_.store(&session, std::memory_order_release); }
    // Publishes the identity to the other processes of the run directory, if MPI_Init has given it or none is
    // published yet.
    void publish_identity();

    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }
    bool comes_free() { return mutex_.comes_free(); }
    void forget_locks() { mutex_.forget(); }
    // `had_streams`: there were streams, even if the program has initialised nothing.
    void start_over_in_child(bool had_streams);

 private:
    void read_environment();
    // Call with the mutex held.
    std::string loom_of_identity();
    void take_default(Facts& facts);
    void publish_identity_locked();

    std::atomic<ProcessState> state_{ProcessState::uninit};
    std::atomic<bool> inherited_{false}, is_in_mpi_{false};
    std::atomic<bool> is_default_{false};  // the identity is that of introduce_by_environment()
    Mutex mutex_;
    // Call with the mutex held.
    bool prepared_ = false;
    bool initialised_ = false;  // by ovni_proc_init
    bool identified_ = false;
    bool samples_cpus_ = false;
    bool may_call_mpi_ = true;  // as found when the process began
    bool has_program_rank_ = false;
    int app_ = 1, pid_ = 0;  // of ovni_proc_init
    int parent_ = 0;
    int identity_app_ = 1, rank_ = -1, nranks_ = 0;
    struct Texts {
        std::string loom, identity_loom, host, run;
        std::vector<std::string> command;
        Roots roots;
    };
    Texts& texts() { return texts_ ? *texts_ : texts_.emplace(); }
    std::optional<Texts> texts_;  // late, as an empty string is a constant for g++ alone
    std::vector<Cpu> program_cpus_, identity_cpus_, affinity_;
    const char* trace_directory_ = nullptr;
    std::atomic<SessionHeader*> session_{nullptr};
};

extern Immortal<Process> the_process;
inline Process& process() {
    return the_process.value;
}

// Numbers of the CPUs that the calling thread may run on, in ascending order.
std::vector<int> affinity_of_this_thread();

}  // namespace ovni::writer
