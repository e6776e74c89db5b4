#include "messages/scan/main_thread.hpp"

#include <algorithm>
#include <utility>

#include "calls/mpi_functions.hpp"
#include "model/mpi_region.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

void MainThread::left(const CallThread& caller, const Return& result) {
    const Call& call = caller.call;
    const bool initialises = is_init(*call.function);
    if (initialises || is_finalize(*call.function)) add_world_call(caller, result.clock);
    if (initialises || (!main_ && call.function->name == "MPI_Session_init")) {
        main_ = &caller;
        times_.begin = result.clock;
        times_.init_site = call.site;
    } else if (&caller == main_ && !is_finalized_) {
        is_finalized_ = is_finalize(*call.function);
        times_.end = is_finalized_ ? call.enter : result.clock;
        if (is_finalized_) times_.finalize_site = call.site;
        if (!is_finalized_)
            times_.calls.push_back(
                {call.enter, result.clock, index_of(*call.function), call.request, call.site});
    }
}

// No gap shifts these, as a process makes each once.
void MainThread::add_world_call(const CallThread& caller, int64_t clock) {
    if (facts_.world_size == 0) return;
    const Call& call = caller.call;
    CollectiveEnd end;
    end.communicator = OVNI_MPI_WORLD;
    end.scope = facts_.world + 1;
    end.turn = is_init(*call.function) ? 1 : 2;
    end.enter = end.wait_begin = call.enter;
    end.leave = end.wait_end = clock;
    end.offset = call.offset;
    end.stream = end.completed_in = caller.stream;
    end.size = static_cast<uint32_t>(facts_.world_size);
    end.rank = facts_.rank;
    end.function = end.completed_by = index_of(*call.function);
    end.behind_gap = call.enter == caller.resumed_at;
    found_.world_calls.push_back(end);
}

void MainThread::lived(const CallThread& caller, const EventView& event) {
    if (&caller != main_ || event.jumbo()) return;
    const auto border = mpi_region_border(event.code, event.payload());
    if (!border) return;
    uint32_t& depth = open_regions_[border->region];
    if (!border->opens && depth == 0) return;
    depth += border->opens ? 1 : -1;
    found_.regions.push_back({event.clock, border->region, event.stream,
                              border->opens ? RegionChange::What::open : RegionChange::What::close});
}

void MainThread::finished() {
    if (!main_) return;
    times_.process = facts_.process;
    times_.stream = main_->stream;
    if (!is_finalized_) times_.end = std::max(times_.end, main_->now);
    times_.end = std::max(times_.end, times_.begin);
    found_.times.push_back(std::move(times_));
}

}  // namespace ovni
