/* Events of the model `openmp`, version 1.4.0, that version 1.2.1 of the reference lacks. A stream requires
 * 1.4.0 only if it has one of these events. PNp is new in 1.4.0.
 *
 * STATES of the channel `subsystem` that the reference lacks have a number s, the one below:
 *
 *     PX[   enter   u16 s
 *     PX]   leave   u16 s
 *
 * PARALLEL REGIONS. Each thread of a team enters and leaves its part. `typeid` is a label that POc defines in
 * the same stream, 0 if there is none; `region` numbers the regions of the process from 1; `threads` is the
 * size of the team, `thread` the number in it:
 *
 *     PR[   enter   u32 typeid, u32 region, u32 threads, u32 thread
 *     PR]   leave   the same
 *
 * FACTS, which change no state:
 *
 *     PNa   u32 typeid, u64 address   the label stands for the code at this address of the process: where a
 *                                     region, worksharing or task returns to, or else where it begins
 *     PNp+  u32 typeid, code, 0       the same code as "BUILD_ID ADDRESS PATH": its file, and a return
 *                                     address in it, both numbers in hexadecimal digits; "-": no build id
 *     PNc   u32 taskid, u32 typeid    a task is made; PPc and PPx follow where it runs first
 *     PNd   u32 first, u32 second     task `second` runs after task `first` by a dependence
 *     PNk   u64 first, u64 count      a chunk of a loop begins: first iteration, iterations
 *     PNx   u32 flags                 cancellation: flags of OMPT (ompt_cancel_flag_t)
 */
#ifndef OVNI_OPENMP_EVENTS_H
#define OVNI_OPENMP_EVENTS_H

#define OVNI_OPENMP_VERSION "1.4.0"
#define OVNI_OPENMP_VERSION_OF_REGIONS "1.3.0"
#define OVNI_OPENMP_VERSION_OF_REFERENCE "1.2.1"

enum {
    OVNI_OPENMP_LOOP = 1, /* of any schedule, where it is not known which */
    OVNI_OPENMP_WORKSHARE,
    OVNI_OPENMP_SCOPE,
    OVNI_OPENMP_MASKED,
    OVNI_OPENMP_TASKLOOP, /* making its tasks */
    OVNI_OPENMP_REDUCTION,
    OVNI_OPENMP_LOCK_ACQUIRING,
    OVNI_OPENMP_LOCK_HOLDING,
    OVNI_OPENMP_ORDERED_ACQUIRING,
    OVNI_OPENMP_ORDERED_SECTION,
    OVNI_OPENMP_ATOMIC_ACQUIRING,
    OVNI_OPENMP_ATOMIC_SECTION,
    OVNI_OPENMP_STATES = OVNI_OPENMP_ATOMIC_SECTION
};

/* The value of state 1 in PRV type 50. */
enum { OVNI_OPENMP_FIRST_VALUE = 101 };

#endif
