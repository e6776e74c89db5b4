// Channels that hooks know, by their place in the table of their model. The tables check that the names are
// there.
#pragma once

#include <cstdint>

namespace ovni {

namespace ovni_channel {
enum : uint8_t { flush };
}
namespace kernel_channel {
enum : uint8_t { context_switch };
}
namespace mpi_channel {
enum : uint8_t { function };
}
namespace nosv_channel {
enum : uint8_t { bodyid, taskid, task_type, appid, subsystem, rank };
}
namespace nanos6_channel {
enum : uint8_t { taskid, task_type, subsystem, rank };
}
namespace openmp_channel {
enum : uint8_t { subsystem, label, task_id };
}

}  // namespace ovni
