// The communicators of one process, as the events of its streams describe them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/mpi_details.hpp"

namespace ovni {

// A communicator as one member knows it.
struct CommunicatorFacts {
    uint64_t id = 0;
    uint32_t flags = 0, size = 0;
    int32_t rank = 0;              // of the process
    std::vector<int32_t> members;  // ranks in MPI_COMM_WORLD, if this member lists them
    std::string name;
};

class ProcessCommunicators {
 public:
    // The data of a jumbo event MXC or MXN. Damaged data changes nothing.
    void define(std::span<const uint8_t> data);
    void name(std::span<const uint8_t> data);
    // Adds number, id, flags and rank of a communicator, unless it is known.
    void add_if_new(const MpiCommunicator& described);
    // The data of a jumbo event MXO.
    void define_window(std::span<const uint8_t> data);

    // The communicator with that number; null if no event describes it.
    const CommunicatorFacts* find(uint32_t number) const;
    // The number of the communicator that the window was made on; OVNI_MPI_NO_OBJECT: unknown.
    uint32_t of_window(uint32_t window) const;
    // 0: unknown.
    uint64_t id_of(uint32_t number) const;
    // The result has no members and no name if no event describes the communicator.
    CommunicatorFacts with_id(uint64_t id) const;
    const std::map<uint32_t, CommunicatorFacts>& all() const { return communicators_; }

 private:
    std::map<uint32_t, CommunicatorFacts> communicators_;  // by number
    std::map<uint32_t, uint32_t> of_windows_;              // communicator by window
};

}  // namespace ovni
