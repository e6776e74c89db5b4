// The call sites of the threads: for each function of MPI where the thread's next call of it comes from.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/records/value.hpp"
#include "model/next_sites.hpp"
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
        if (thread < threads_.size()) threads_[thread].forget();
    }
    // The site of a call that begins now; `function` is the index in mpi_function_rows.
    Value site_of(uint32_t thread, uint16_t function) const {
        if (thread >= threads_.size()) return {};
        const uint32_t site = threads_[thread].of(function);
        return site == MpiCaller::unknown ? Value() : Value(site);
    }

 private:
    const CallSites& sites_;
    std::vector<NextSites> threads_;
};

}  // namespace ovni
