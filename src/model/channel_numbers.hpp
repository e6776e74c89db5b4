// Channels that hooks and other tables name, by their place in the table of their model. Each table checks
// that the channel is there (static_assert).
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
enum : uint8_t { bodyid, taskid, task_type, appid, subsystem, rank, idle };
}
namespace nanos6_channel {
enum : uint8_t { taskid, task_type, subsystem, rank, thread_type, idle };
}
namespace nodes_channel {
enum : uint8_t { subsystem };
}
namespace tampi_channel {
enum : uint8_t { subsystem };
}
namespace openmp_channel {
enum : uint8_t { subsystem, label, task_id, region, team_size };
}
namespace pthread_channel {
enum : uint8_t { wait, object, holder };
}

}  // namespace ovni
