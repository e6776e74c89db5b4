#include "mpi/interpose/border.hpp"

#include <mpi.h>

#include <atomic>

#include "core/loaded_library.hpp"
#include "mpi/interpose/job.hpp"
#include "mpi/interpose/library/imports.hpp"
#include "mpi/interpose/library/pmpi.hpp"

namespace ovni::mpi {

namespace {

enum class Beginning : uint8_t { none, begun, introduced };
std::atomic<Beginning> beginning{Beginning::none};
std::atomic<bool> is_border_awaited{false};

int introduce_at_border(int result) noexcept {
    Beginning expected = Beginning::begun;
    if (result == MPI_SUCCESS && beginning.compare_exchange_strong(expected, Beginning::introduced))
        introduce_process();
    return result;
}

int init(int* argc, char*** argv) noexcept {
    return introduce_at_border(OVNI_KNOWN_PMPI(Init)(argc, argv));
}

int init_thread(int* argc, char*** argv, int required, int* provided) noexcept {
    return introduce_at_border(OVNI_KNOWN_PMPI(Init_thread)(argc, argv, required, provided));
}

// A rank that the layer keeps for itself ends inside of MPI_Init.
int finalize() noexcept {
    const bool is_kept = beginning != Beginning::none;
    if (is_kept || is_border_awaited.exchange(false)) part_from_ranks();
    const int result = OVNI_KNOWN_PMPI(Finalize)();
    if (is_kept) finish_recording();
    return result;
}

Border borders[] = {{"PMPI_Init"}, {"PMPI_Init_thread"}, {"PMPI_Finalize"}};

// Other constructors, those of variables, may not have run.
[[gnu::constructor]] void begin_binding() {
    borders[0].function = reinterpret_cast<void*>(init);
    borders[1].function = reinterpret_cast<void*>(init_thread);
    borders[2].function = reinterpret_cast<void*>(finalize);
    start_binding(borders);
}

}  // namespace

void begin_above_border() noexcept {
    beginning = Beginning::begun;
}

bool is_introduced_at_border() noexcept {
    return beginning.exchange(Beginning::none) == Beginning::introduced;
}

bool await_border() noexcept {
    auto* next_one = reinterpret_cast<const void*>(next<decltype(MPI_Finalize)>(Function::Finalize));
    const void* crossed_by = borders[2].crossed_by;
    is_border_awaited = crossed_by && LoadedLibrary::at(next_one).dynamic() == crossed_by;
    return is_border_awaited;
}

}  // namespace ovni::mpi
