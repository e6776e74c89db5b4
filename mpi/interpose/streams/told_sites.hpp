// The call sites that a stream knows: for each function the one of the last call, and the numbers of those
// that its metadata describes. Memory of its own.
#pragma once

#include <array>
#include <cstdint>

#include "functions.hpp"
#include "mpi/interpose/base/handle_table.hpp"

namespace ovni::mpi {

struct ToldSites {
    ~ToldSites() { numbers.clear(); }

    // The key of the site that the stream shows of each function; 0: none. With one level a key is the
    // address.
    std::array<uint64_t, std::size(function_rows)> shown{};
    HandleTable<uint32_t> numbers;  // by key and function
    uint32_t losses = 0;            // of the window of ovni/emit.hpp, when `shown` was right
    uint32_t unloadings = 0;        // of the process, when `numbers` were right
    bool version_known = false;     // the stream requires the version with sites
};

}  // namespace ovni::mpi
