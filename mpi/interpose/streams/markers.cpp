#include "mpi/interpose/streams/markers.hpp"

#include <cstdio>

#include "mpi/interpose/streams/recorder.hpp"
#include "ovni.h"
#include "ovni/emit.hpp"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

constexpr int32_t marker_mark_type = 98;
// A mark of value 0 means nothing, and labels need values above 0.
constexpr int64_t value_of_level_0 = 1000;

}  // namespace

void mark_level(Thread& thread, int level) noexcept {
    int64_t value = level + value_of_level_0;
    if (value == 0 || !up_to_date(thread)) return;
    ovni_private_mark_type(marker_mark_type, OVNI_MARK_PUNCTUAL, "MPI_Pcontrol level + 1000");
    char label[32];
    std::snprintf(label, sizeof label, "level %d", level);
    ovni_private_mark_label(marker_mark_type, value, label);
    ovni::emit("OM=", value, marker_mark_type);
}

}  // namespace ovni::mpi
