// The call sites of one thread: for each function of MPI the place that its next call comes from, as the
// events MX@ say so far.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "model/mpi_sums.hpp"

namespace ovni {

// Takes memory from the first event on.
class NextSites {
 public:
    // Calls of the caller's function come from its site from now on.
    void set(const MpiCaller& caller) {
        if (sites_.empty()) sites_.resize(std::size(mpi_function_rows), MpiCaller::unknown);
        sites_[static_cast<size_t>(caller.function - mpi_function_rows)] = caller.site;
    }
    // All sites are unknown from now on.
    void forget() { std::ranges::fill(sites_, MpiCaller::unknown); }
    // `function`: in mpi_function_rows.
    uint32_t of(uint16_t function) const { return sites_.empty() ? MpiCaller::unknown : sites_[function]; }

 private:
    std::vector<uint32_t> sites_;
};

}  // namespace ovni
