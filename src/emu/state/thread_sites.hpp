// The call sites of the threads: for each function of MPI where the thread's next call of it comes from, from
// the MX@ events so far. Only threads with such events take memory.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include "emu/records/value.hpp"
#include "source/call_sites.hpp"

namespace ovni {

class ThreadSites {
 public:
    // `sites` lives as long as this.
    explicit ThreadSites(const CallSites& sites) : sites_(sites) {}

    // The event MX@ of a thread. Throws Error, without place, if its stream does not describe the site, but
    // others do.
    void set_site(uint32_t thread, uint32_t stream, uint32_t number);
    // The call sites of the thread are unknown from now on.
    void forget(uint32_t thread) {
        if (thread < threads_.size() && threads_[thread]) threads_[thread]->fill(MpiCaller::unknown);
    }
    // The site of a call that begins now; `function` is the index in mpi_function_rows.
    Value site_of(uint32_t thread, uint16_t function) const {
        if (thread >= threads_.size() || !threads_[thread]) return {};
        uint32_t site = (*threads_[thread])[function];
        return site == MpiCaller::unknown ? Value() : Value(site);
    }

 private:
    using ByFunction = std::array<uint32_t, std::size(mpi_function_rows)>;
    const CallSites& sites_;
    std::vector<std::unique_ptr<ByFunction>> threads_;
};

}  // namespace ovni
