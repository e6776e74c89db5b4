#include "mpi/interpose/sites/sites.hpp"

#include <cstdlib>

#include "mpi/interpose/base/report.hpp"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

Report never_hit{"--control: this MPI has no %s: alarms of it never fire"};

constexpr uint32_t function_number(Function function) noexcept {
    return static_cast<uint32_t>(function) - 1;
}

}  // namespace

void await_calls() noexcept {
    // Chains are read with the first stream.
    if (secure_getenv("OVNI_CONTROL") || secure_getenv("OVNI_CONTROL_SCOPE")) open_stream_for_controller();
    const uint8_t* awaits = ovni_private_awaited_calls();
    if (!awaits) return;
    for (size_t i = 1; i < std::size(function_rows); ++i) {
        auto function = static_cast<Function>(i);
        uint8_t of_function = awaits[function_number(function)];
        if (of_function & OVNI_PRIVATE_AWAITS_CALL) select(function, awaited);
        if (of_function & OVNI_PRIVATE_AWAITS_SLOW_CALL) select(function, awaited_slow);
        if (of_function != 0 && !row_of(function).is_declared) never_hit.once(row_of(function).name);
    }
}

void open_stream_for_controller() noexcept {
    const ovni_private_window* window = ovni_private_thread_window;
    if (!window || !__atomic_load_n(&window->running, __ATOMIC_RELAXED)) ovni_private_thread_open();
}

void hit_call(Function function) noexcept {
    open_stream_for_controller();
    ovni_private_hit_call(function_number(function));
}

void hit_slow_call(Function function, uint64_t ns) noexcept {
    open_stream_for_controller();
    ovni_private_hit_slow_call(function_number(function), ns);
}

}  // namespace ovni::mpi
