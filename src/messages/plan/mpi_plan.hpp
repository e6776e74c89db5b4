// The plan of mpi.prv, which is known before the first event is emulated: tasks, nodes, threads,
// communicators, its end. Its tasks are the ranks of a world, also those that were not recorded. Equal on all
// ranks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ranks.hpp"
#include "emu/plan/system.hpp"
#include "messages/scan/scan.hpp"
#include "trace/trace.hpp"

namespace ovni {

struct MpiPlan {
    static constexpr uint32_t none = UINT32_MAX;

    struct Node {
        std::string name;
        uint32_t threads = 0;
    };
    struct Task {
        uint32_t node = 0;  // in World::nodes
        uint32_t threads = 1;
        bool is_recorded = false;
    };
    using Members = std::vector<uint32_t>;  // tasks by rank, from 1
    // An mpi.prv with its PCF and ROW.
    struct File {
        std::vector<Node> nodes;             // by the first task that is there
        std::vector<Task> tasks;             // by rank
        std::vector<Members> communicators;  // the first is the world; numbers count from 1
        std::vector<uint32_t> threads;       // by task, thread
    };
    // A thread. All but `row` count from 0 in its file.
    struct Thread {
        uint32_t file = 0, task = 0, thread = 0, cpu = 0;
        uint32_t row = none;      // in System; none: the task was not recorded
        bool lacks_init = false;  // the first thread of a task whose MPI_Init was not recorded
    };

    std::vector<File> files;  // by world
    std::vector<Thread> threads;
    std::vector<uint32_t> thread_of_row;  // by row in System; none: of no world
    int64_t end = 0;                      // time of the last event of the trace

    bool has_files() const { return !files.empty(); }
    // Null if the thread is in no file.
    const Thread* thread_of(uint32_t row) const {
        return thread_of_row[row] == none ? nullptr : &threads[thread_of_row[row]];
    }
};

// A communicator as events of one process name it.
struct KnownCommunicator {
    static constexpr int32_t no_rank = -1;
    uint32_t number = 0;  // in the file, from 1
    // The rank of the process in it. Not for an intercommunicator, whose roots name themselves
    // (OVNI_MPI_THIS_RANK).
    int32_t rank = 0;
};
// The communicators of collectives, by process in System and number in its events.
using CommunicatorNumbers = std::map<std::pair<uint32_t, uint32_t>, KnownCommunicator>;

struct FoundPlan {
    MpiPlan plan;
    CommunicatorNumbers communicators;  // of the processes of this rank
};

// `scanned`: the processes of this rank. Collective.
FoundPlan find_mpi_plan(const Ranks& ranks, const Trace& trace, const System& system, const Scanned& scanned,
                        int64_t origin);

}  // namespace ovni
