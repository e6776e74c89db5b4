// The MPI functions as the tools around Paraver know them: the event type of their family, their number
// there, and the state that they put a thread in. Those tools have numbers for some functions only, and some
// of them stop at numbers that they do not know. Another function has the number of its nearest kin, or none.
#pragma once

#include <cstdint>
#include <string_view>

namespace ovni {

namespace paraver_mpi {

// Event types. Their values are functions; 0: outside of MPI.
inline constexpr uint32_t point_to_point = 50000001, collective = 50000002, other = 50000003,
                          one_sided = 50000004, io = 50000005;
// Details that stand in the line in which a call begins.
inline constexpr uint32_t one_sided_bytes = 50001000, one_sided_target = 50001001, io_bytes = 50000110,
                          bytes_sent = 50100001, bytes_received = 50100002, is_root = 50100003,
                          communicator = 50100004;
// 1 while events are recorded, 0 in a gap.
inline constexpr uint32_t tracing = 40000012;

// Numbers from here on stop prv2dim.
inline constexpr uint16_t first_illegal_number = 194;
inline constexpr uint16_t init = 31;

}  // namespace paraver_mpi

enum class ParaverState : uint8_t {
    idle,
    running,
    not_created,
    waiting_for_message,
    blocking_send,
    synchronization,
    test_or_probe,
    scheduling,
    wait,
    blocked,
    immediate_send,
    immediate_receive,
    io,
    group_communication,
    tracing_disabled,
    others,
    send_receive,
    memory_transfer,
    count
};

struct ParaverFunction {
    uint32_t type = 0;    // 0: none
    uint16_t number = 0;  // 0: none
    ParaverState state = ParaverState::others;
};

// `function`: in mpi_function_rows.
const ParaverFunction& paraver_function(uint16_t function);
// The name of the function to which that number belongs, rather than to its kin.
std::string_view name_of_paraver_number(uint16_t number);
// The value of the function in the type 25, as in thread.prv.
int64_t function_value(uint16_t function);

}  // namespace ovni
