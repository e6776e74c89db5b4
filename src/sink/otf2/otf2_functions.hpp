// The MPI functions in the terms of OTF2.
#pragma once

#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>

#include <optional>
#include <string_view>

namespace ovni {

// `name`: as in labels, "MPI_Send".
OTF2_RegionRole otf2_role(std::string_view name);

struct Otf2Collective {
    OTF2_CollectiveOp operation;
    enum class Blocking : uint8_t { yes, no } blocking = Blocking::yes;
};
// True if a call posts one receive and nothing else; then it makes a request.
bool otf2_posts_receive(std::string_view name);
// The operation of OTF2 for a function; missing if it has none.
std::optional<Otf2Collective> otf2_collective(std::string_view name);

// A call with a window or file, and its effect.
struct Otf2ObjectUse {
    enum class What : uint8_t {
        make_window,
        free_window,
        put,
        get,
        update,  // an atomic operation, of kind `update`
        fence,
        synchronise,  // completes operations: those for a target, or all if there is none
        open,
        close,
        transfer,
        begin_transfer,  // split: the rest is another call
        end_transfer,
        flush
    } what;
    enum class Completes : uint8_t { nothing, locally, everywhere } completes = Completes::nothing;
    OTF2_RmaAtomicType update = OTF2_RMA_ATOMIC_TYPE_ACCUMULATE;
    OTF2_IoOperationMode mode = OTF2_IO_OPERATION_MODE_READ;
    OTF2_IoOperationFlag flags = OTF2_IO_OPERATION_FLAG_NONE;
};
// The use of an object by a function; missing if OTF2 has no record for it, or needs more than is recorded.
std::optional<Otf2ObjectUse> otf2_object_use(std::string_view name);

}  // namespace ovni
