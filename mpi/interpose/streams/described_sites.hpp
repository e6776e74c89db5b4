// The call sites that a stream has described: for each function the site of its last call, and the numbers of
// all sites in the metadata.
#pragma once

#include <array>
#include <cstdint>

#include "functions.hpp"
#include "mpi/interpose/base/handle_table.hpp"

namespace ovni::mpi {

struct DescribedSites {
    ~DescribedSites() { numbers.clear(); }

    // The key of the last recorded site, by function; 0: none. With one level a key is the address.
    std::array<uint64_t, std::size(function_rows)> shown{};
    HandleTable<uint32_t> numbers;  // by key and function
    uint32_t losses = 0;            // of the window of ovni/emit.hpp, when `shown` was valid
    uint32_t unloadings = 0;        // of the process, when `numbers` was valid
    bool version_known = false;     // the stream requires the version with sites
};

}  // namespace ovni::mpi
