// The messages between two ranks that a trace tells of, found from its details alone.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "model/mpi_details.hpp"
#include "tests/mpi/account.hpp"
#include "trace/trace.hpp"

namespace ovni::test {

struct Amount {
    uint64_t bytes = 0, messages = 0;
    bool operator==(const Amount&) const = default;
};

// Id of a communicator, sender, receiver; ranks are those in MPI_COMM_WORLD.
using Channel = std::tuple<uint64_t, int, int>;
using ChannelTraffic = std::map<Channel, Amount>;

class RecordedTraffic {
 public:
    explicit RecordedTraffic(const Trace& trace);

    ChannelTraffic sent() const { return resolve(sent_, true); }
    ChannelTraffic received() const { return resolve(received_, false); }
    // Over all communicators, as programs count it themselves.
    Account account() const;
    // Requests of receives that began and neither ended nor were freed.
    uint64_t open_receives() const;
    // Communicators by id: the members that ranks 0 told; the ranks that told of it.
    const std::multimap<uint64_t, MpiCommunicator>& told_members() const { return told_; }
    std::map<uint64_t, std::set<int>> tellers() const;

 private:
    struct Thread {
        MpiDetails entered;  // the call that it is in
        uint32_t ended = 0;  // the request that has just ended
        MpiDetails started;  // the persistent send that has just started
    };
    struct Process {
        std::map<uint32_t, MpiCommunicator> communicators;
        std::map<uint32_t, uint32_t> receives;  // communicators by open request
    };
    // Seen by one process, whose peer is a rank in that communicator.
    struct Message {
        int rank;
        uint32_t communicator;
        int32_t peer;
        uint64_t bytes;
    };

    void take(const EventView& event);
    void enter(Process& process, Thread& thread, const MpiDetails& details);
    static void post(Process& process, const Thread& thread);
    void leave(int rank, Process& process, Thread& thread, const MpiDetails& details);
    void tell(Process& process, const EventView& event);
    void add_bytes(int rank, Thread& thread, uint64_t bytes);
    static void add(std::vector<Message>& messages, int rank, uint32_t communicator, int32_t peer,
                    uint64_t bytes);
    ChannelTraffic resolve(const std::vector<Message>& messages, bool sent) const;
    uint64_t id_of(const Message& message) const;
    int world_rank(const Message& message) const;

    const Trace& trace_;
    std::vector<Thread> threads_;       // by stream
    std::map<int, Process> processes_;  // by rank
    std::vector<Message> sent_, received_;
    // The members that ranks 0 tell, by id.
    std::multimap<uint64_t, MpiCommunicator> told_;
};

}  // namespace ovni::test
