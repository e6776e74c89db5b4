// The first collective of each process on each of its communicators, and the threads that call MPI_Init.
// mpi.prv needs both before its first line.
#pragma once

#include <cstdint>
#include <map>
#include <type_traits>
#include <vector>

#include "calls/call_consumer.hpp"

namespace ovni {

struct CommunicatorUse {
    int64_t clock = 0;
    uint64_t offset = 0;  // of the event
    uint64_t id = 0;
    uint32_t stream = 0, process = 0;
    uint32_t number = 0;  // of the communicator, in the events of the process
    uint32_t flags = 0;
    int32_t rank = 0;  // of the process
    uint32_t padding = 0;
};
static_assert(std::is_trivially_copyable_v<CommunicatorUse>);

// A thread calls MPI_Init.
struct InitCall {
    uint32_t stream = 0;
    int64_t clock = 0;
};

class CommunicatorUses : public CallConsumer {
 public:
    // `uses` and `init` get what is found, and outlive this.
    CommunicatorUses(uint32_t process, std::vector<CommunicatorUse>& uses, std::vector<InitCall>& init)
        : process_(process), uses_(uses), init_(init) {}

    void entered(const CallThread& caller) override;
    void finished() override;

 private:
    uint32_t process_;
    std::vector<CommunicatorUse>& uses_;
    std::vector<InitCall>& init_;
    std::map<uint32_t, CommunicatorUse> first_;  // by number
};

}  // namespace ovni
