#include "emu/state/thread_sites.hpp"

#include "base/error.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

void ThreadSites::set_site(uint32_t thread, uint32_t stream, uint32_t number) {
    if (number == OVNI_MPI_NO_SITE) return forget(thread);
    if (sites_.empty()) return;
    const MpiSites& known = sites_.of_stream(stream);
    auto found = known.find(number);
    if (found == known.end()) throw Error(fmt::format("stream.json does not describe call site {}", number));
    if (thread >= threads_.size()) threads_.resize(thread + size_t{1});
    threads_[thread].set(found->second);
}

}  // namespace ovni
