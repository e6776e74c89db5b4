/* The event of writer-bench-lttng, in the form that LTTng-UST reads several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER writer_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "writer/lttng_events.h"

#if !defined(WRITER_BENCH_LTTNG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define WRITER_BENCH_LTTNG_EVENTS_H

#include <lttng/tracepoint.h>

// clang-format off
LTTNG_UST_TRACEPOINT_EVENT(writer_bench, pair,
    LTTNG_UST_TP_ARGS(int, first, int, second),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(int, first, first)
        lttng_ust_field_integer(int, second, second)
    )
)
// clang-format on

#endif

#include <lttng/tracepoint-event.h>
