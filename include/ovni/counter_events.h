/* Events of the model `counters`, version 1.1.0: what a thread used since its last border. A border is a call
 * of MPI that begins or ends, a region or mark that opens or closes, a part of a parallel region, a task or a
 * barrier of OpenMP, or a wait in POSIX threads, that begins or ends; and the end of the thread. The events
 * of a border stand before its event and have the same clock, so they belong to what the thread was in until
 * then.
 *
 * A stream lists the names of its counters in its metadata, ovni.counters, before the first of these events;
 * their places count from 0. `rss` is the last one if it is there, and has no deltas. A stream requires the
 * model only if it has such an event.
 *
 *     C4A C4B C4C C4D   u32 delta...   of 1 to 4 counters, from place 0, 4, 8, 12 on (4, 8, 12 or 16 bytes)
 *     C8A ... C8H       u64 delta...   of 1 or 2 counters, from place 0, 2, ... 14 on (8 or 16 bytes)
 *     CRm               u64 resident, u64 highest   memory of the process in bytes, now and at most (16)
 *     CSn               u64 ns         the deltas that follow count from `ns` nanoseconds ago on
 *
 * CSn stands before the first deltas of a thread that counts from the beginning of its row on, and before the
 * first ones behind a pause. A stream requires 1.1.0 only if it has one.
 *
 * Every border has all counters. Those that one C4 would hold are two C8 if a delta needs more than 32 bits.
 * Clocks, such as task-clock, count nanoseconds. At the first border of a thread, and at the first after a
 * gap, there are no events, because the use before it is unknown.
 *
 * EXAMPLE, as bytes of a stream: flags with payload size - 1, code, clock 0x1122334455667788, payload;
 * everything little endian. With "counters": ["page-faults", "task-clock"], 3 page faults and 70000 ns before
 * MPI_Barrier:
 *
 *     07  43 34 41  88 77 66 55 44 33 22 11  03 00 00 00  70 11 01 00    C4A
 *     0f  4d 43 62  88 77 66 55 44 33 22 11  ...                         MCb
 *
 * In the trace of Paraver a delta is an event line of the type that belongs to the counter, at the border:
 * 42000050 for instructions, 42000059 for cycles; `ovnirun --help counters` lists them all.
 */
#ifndef OVNI_COUNTER_EVENTS_H
#define OVNI_COUNTER_EVENTS_H

#define OVNI_COUNTERS_MODEL "counters"
#define OVNI_COUNTERS_VERSION "1.1.0"
#define OVNI_COUNTERS_VERSION_OF_DELTAS "1.0.0"

enum {
    OVNI_COUNTERS_MOST = 16,     /* in a stream */
    OVNI_COUNTERS_IN_NARROW = 4, /* in one C4 */
    OVNI_COUNTERS_IN_WIDE = 2    /* in one C8 */
};

#endif
