// The tracer's state of a thread: the MPI function that the program is in, its open regions, and what its
// stream shows of them. The two differ while recording is off or impossible; the recorder brings the stream
// up to date.
#pragma once

#include <bitset>
#include <cstdint>

#include "functions.hpp"
#include "mpi/interpose/streams/described_objects.hpp"
#include "mpi/interpose/streams/described_sites.hpp"
#include "mpi/interpose/streams/region_names.hpp"

namespace ovni::mpi {

// Regions by their numbers in the table of names, the innermost last. The emulator accepts at most 512.
struct RegionStack {
    static constexpr uint32_t capacity = 512;
    uint32_t size = 0;
    RegionNumber numbers[capacity] = {};
};

struct States {
    Function function = Function::none;
    RegionStack regions;
};

// Bits: the stream does not show all that the program did.
struct OutOfStep {
    enum : uint8_t {
        behind = 1,  // something happened that could not be recorded
        torn = 2     // recording has ended or begun since the call in progress was entered
    };
};

struct Communicator;

struct Thread {
    int* error = nullptr;                // its errno
    uint32_t depth = 0;                  // calls of MPI in progress; 1: made by the program
    const void* outermost = nullptr;     // frame of the call of depth 1
    const void* caller = nullptr;        // where that call returns to
    Function binding = Function::none;   // what the Fortran routine in progress is going to call in C
    States program;                      // what the program is in
    States stream;                       // what its stream shows
    States cut;                          // what `stream` was when recording ended
    bool stream_known = false;           // the stream requires the mpi model
    bool has_details = false;            // and its version with numbers of functions
    bool has_mpi_4 = false;              // and its version with functions of MPI 4
    bool regions_known = false;          // the stream has the mark type of regions
    bool pauses_known = false;           // and its version with accounts of pauses
    uint8_t out_of_step = 0;             // OutOfStep
    bool is_on = true;                   // false: the stream shows that recording is off
    bool is_changing = false;            // show() is writing events
    uint64_t entered_at = 0;             // clock of a call that chains await if it is slow
    int cpu = -1;                        // where it was last seen
    std::bitset<region_names> labelled;  // regions that the stream has labels of
    // Bit i is set if region i of `program` was opened while nothing could be recorded.
    std::bitset<RegionStack::capacity> opened_unseen;
    DescribedObjects objects;  // objects that the stream has described
    DescribedSites sites;      // call sites that the stream has described
    // The communicator that the thread last used, which needs no search.
    uint64_t last_comm = 0;
    uint32_t comm_generation = 0;
    const Communicator* last_communicator = nullptr;
    uintptr_t stack_begin = 0, stack_end = 0;
};

// The Thread of the calling thread; null without memory. Lives until the thread ends.
Thread* make_thread() noexcept;

// True if the address is in the stack that the calling thread was started with.
bool is_on_stack(const Thread& thread, const void* address) noexcept;

inline thread_local constinit Thread* own_thread [[gnu::tls_model("initial-exec")]] = nullptr;

inline Thread* this_thread() noexcept {
    return own_thread ? own_thread : make_thread();
}

}  // namespace ovni::mpi
