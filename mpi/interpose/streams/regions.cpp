#include "mpi/interpose/streams/regions.hpp"

#include <algorithm>

#include "mpi/interpose/base/report.hpp"
#include "mpi/interpose/streams/recorder.hpp"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

constexpr long stack_of_values = 1;

Report too_deep{"more than 512 regions are open in a thread: '%s' and further ones are left out"};
Report not_open{"region '%s' is closed but not open"};

}  // namespace

void open_region(Thread& thread, std::string_view name) noexcept {
    const bool is_seen = up_to_date(thread);
    RegionStack& open = thread.program.regions;
    if (open.size == RegionStack::capacity) {
        too_deep.once(name.data());
        return;
    }
    thread.opened_unseen[open.size] = !is_seen;
    open.numbers[open.size++] = region_number(name);
    show_regions(thread);
}

void close_region(Thread& thread, std::string_view name) noexcept {
    up_to_date(thread);
    RegionStack& open = thread.program.regions;
    RegionNumber number = known_region(name);
    uint32_t at = open.size;
    while (at > 0 && open.numbers[at - 1] != number) --at;
    if (at == 0) {
        not_open.once(name.data());
        return;
    }
    std::copy(open.numbers + at, open.numbers + open.size, open.numbers + at - 1);
    for (uint32_t i = at; i < open.size; ++i) thread.opened_unseen[i - 1] = thread.opened_unseen[i];
    --open.size;
    show_regions(thread);
}

void close_all_regions(Thread& thread) noexcept {
    up_to_date(thread);
    if (thread.program.regions.size == 0) return;
    thread.program.regions.size = 0;
    show_regions(thread);
}

void label_open_regions(Thread& thread) noexcept {
    const RegionStack& open = thread.program.regions;
    if (open.size > 0 && !thread.regions_known) {
        ovni_private_mark_type(region_mark_type, stack_of_values, "MPI_Pcontrol region");
        thread.regions_known = true;
    }
    for (uint32_t i = 0; i < open.size; ++i) {
        RegionNumber number = open.numbers[i];
        if (thread.labelled[number]) continue;
        ovni_private_mark_label(region_mark_type, region_value(number), region_name(number));
        thread.labelled[number] = true;
    }
}

}  // namespace ovni::mpi
