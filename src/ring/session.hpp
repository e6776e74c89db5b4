// A run directory, through which processes and the drainer exchange events. It holds the rings of a program's
// processes and notes about their streams. ovnirun makes one for all processes that it starts; without
// ovnirun a process makes its own:
//     session        SessionHeader, mapped by all
//     ring.N         a ring; N counts from 0
//     ring.N.json    where its stream goes, and its metadata as of now (StreamNote)
//     shared.N       the buffer that all threads of a process share (shared_file.hpp); counted with the rings
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ovni/tsc_clock.hpp"
#include "ring/descriptors.hpp"
#include "ring/own_file.hpp"
#include "ring/ring.hpp"
#include "ring/session_identity.hpp"

namespace ovni::writer {

struct SessionHeader {
    static constexpr uint64_t magic_number = 0x36736e69726e766f;  // "ovnrins6"

    uint64_t magic;
    ProcessId owner;                             // the process that drains
    std::atomic<uint32_t> ended;                 // 1: the owner no longer drains
    std::atomic<uint64_t> heartbeat;             // start of the drainer's last pass, monotonic_clock()
    std::atomic<uint32_t> rings;                 // number of rings, shared buffers included
    alignas(64) std::atomic<uint32_t> doorbell;  // futex: changes to wake the drainer
    std::atomic<uint32_t> asleep;                // 1: the drainer has to be woken
    std::atomic<uint32_t> removed;               // 1: the directory is being removed, make no ring here
    std::atomic<uint64_t> openings;              // number of openings of rings so far
    std::atomic<int32_t> program;                // the process that ovnirun started; 0: not known
    SharedIdentity identity;                     // of the processes here
    char run[192];                               // name of the run, unless MPI_Init gives another
    int64_t began;                               // when this directory was made, in s since 1970
    int64_t time_offset;                         // ns by which events are ahead of monotonic_clock()
    // Written by ovnirun. The directory is empty if each rank has its own, or if it is too long.
    std::atomic<uint64_t> job;   // of the launcher; 0: none
    char trace_directory[1024];  // resolved; written before `job`
    std::atomic<uint32_t>
        is_scatter_reported;  // 1: it is reported that the job has several trace directories

    ClockPage clock;  // of all events in the rings here; the drainer steers it
};

class Session {
 public:
    Session() = default;
    Session(Session&& other) noexcept;
    Session& operator=(Session&& other) noexcept;
    ~Session();

    // Makes `directory`, whose parent exists, for a drainer in this process. If that fails, the result is not
    // valid and errno is set.
    static Session create(const std::string& directory);
    static Session open(const std::string& directory);

    bool is_valid() const { return header_ != nullptr; }
    // Call this and the functions for paths only if valid.
    const std::string& directory() const { return *directory_; }
    std::string ring_path(uint32_t number) const { return *directory_ + "/ring." + std::to_string(number); }
    std::string shared_path(uint32_t number) const {
        return *directory_ + "/shared." + std::to_string(number);
    }
    std::string note_path(uint32_t number) const { return ring_path(number) + ".json"; }
    SessionHeader& header() const { return *header_; }

    // ns by which the clock of events is ahead of CLOCK_MONOTONIC of this process. Events have the clock of
    // the time namespace in which the directory was made.
    int64_t time_ahead() const { return header_->time_offset - own_time_offsets().monotonic; }
    // True if the heartbeat is recent and the owner lives.
    bool is_served() const;
    // Cheaper than is_served(), for repeated questions: the owner may have died a moment ago.
    bool seems_served() const;
    bool is_owned_by_this_process() const;
    void ring_doorbell() const;
    // For the drainer. sleep() waits for the doorbell, unless it rang after doorbell() returned `heard`.
    uint32_t doorbell() const { return header_->doorbell.load(std::memory_order_seq_cst); }
    void sleep(uint32_t heard, uint64_t nanoseconds) const;
    // Takes the lock for draining, which ends with the process at the latest. False if another process holds
    // it.
    bool lock();
    // Call in a fork's child, which must not hold its parent's lock.
    void forget_lock();
    // Gives the draining thread its own descriptor table, which keeps the lock.
    bool part_from_descriptors() const { return writer::part_from_descriptors(lock_.descriptor()); }
    void leave_lock_to_drainer() const { lock_.close_for_others(); }
    // Becomes the owner in place of one that is dead or has resigned. False if another process was faster.
    bool claim();
    // Removes the directory if nothing but the session is left in it.
    void remove() const;
    // Check after putting a ring there.
    bool is_removed() const { return header_->removed.load(std::memory_order_seq_cst) != 0; }

 private:
    static Session map(const std::string& directory, int flags);

    std::optional<std::string> directory_;  // if valid; an empty string is a constant for g++ alone
    SessionHeader* header_ = nullptr;
    OwnFile lock_;
};

// The places for run directories, in the order in which they are tried: OVNI_RUNDIR, /dev/shm, TMPDIR or
// /tmp, the trace directory. Makes and returns the user's directory there, ovni-<uid>, mode 0700. Empty if
// the place cannot be used.
std::string session_place(uint32_t choice, const std::string& trace_directory);
inline constexpr uint32_t session_places = 4;
// The paths of all entries in these places, sorted, without duplicates. Makes no directory.
std::vector<std::string> in_session_places(const std::string& trace_directory);
// True if the path is that of a ring in one of this user's places, without symbolic links.
bool is_in_session_place(const std::string& file);

// The rank that the launcher gave this process; "0" if it gave none.
std::string launcher_rank();

// "<run>.<rank>.<pid>", from the environment.
std::string session_name();

// CLOCK_MONOTONIC of the machine in ns, equal in all time namespaces.
uint64_t monotonic_clock();
// The clock of events at `monotonic`, in a run directory with this `time_offset`. Tests may change it
// further.
uint64_t event_clock(uint64_t monotonic, int64_t time_offset);

}  // namespace ovni::writer
