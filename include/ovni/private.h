/* What our own tracing libraries (libovni-mpi) ask of the writer beyond ovni.h. Exported under the symbol
 * version OVNI_PRIVATE; not for programs: it changes without notice.
 *
 * One writer per process. A thread has a stream in one of two ways: the program opened it (ovni_proc_init,
 * ovni_thread_init), or we did, with ovni_private_thread_open(). A stream of ours is memory only until its
 * first block is written, so what identifies it (loom, application, rank, CPUs) may be told later; a process
 * that records nothing leaves nothing on disk. A later ovni_proc_init, ovni_thread_init or OHx of the program
 * takes the stream over: it becomes the program's, without an error, and what the program says counts.
 *
 * No function here fails visibly, throws, or ends the program; errno is preserved. Clocks: ovni_clock_now().
 */
#ifndef OVNI_PRIVATE_H
#define OVNI_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who this process is; each member counts only where the program has not said it itself. Strings are copied.
 */
struct ovni_private_identity {
    int app;          /* > 0 */
    const char* loom; /* "<host>" or "<host>.<suffix>" */
    const char* run;  /* ovni.run: one name for all processes of the run */
    int rank, nranks; /* rank -1: none */
    const int* cpus; /* numbers of the operating system, ascending; the index of a CPU is its position here */
    int ncpus;
    const char* host; /* of the process, where its loom may be named otherwise; null: unknown */
};
void ovni_private_identify(const struct ovni_private_identity* identity);

/* Gives the calling thread a stream where it has none. 1: events of the calling thread are recorded now (it
 * has a stream and, by the life-cycle events of that stream, is running); 0: they would not be (its stream is
 * finished, it is paused, the process is gone, a fork's child). `running` in the window of ovni/emit.hpp says
 * the first without a call. */
int ovni_private_thread_open(void);

/* 1: definitions that the calling thread emits are recorded, because its stream runs; other events only where
 * recording is on. */
int ovni_private_thread_defines(void);

/* 1 unless the program has called ovni_proc_init. */
int ovni_private_process_is_ours(void);

/* 1 where the stream of the calling thread is ours, so that we say on which CPU it runs. */
int ovni_private_thread_is_ours(void);

/* The thread, whose stream is ours, now runs on that CPU (number of the operating system): writes OAs where
 * it is another one than before and belongs to the identity's CPUs. */
void ovni_private_move_to_cpu(int phyid);

/* Adds the model to ovni.require of the calling thread, once. */
void ovni_private_require(const char* model, const char* version);

/* As ovni_mark_type and ovni_mark_label, on a stream of either kind; telling a label or type again is no
 * error. Titles and labels are cut to 511 bytes. */
enum { OVNI_PRIVATE_MARK_PUNCTUAL = 2 }; /* flag: a value stands for an instant, not for a state */
void ovni_private_mark_type(int32_t type, long flags, const char* title);
void ovni_private_mark_label(int32_t type, int64_t value, const char* label);

/* Nothing was recorded in the calling thread's stream between the two clocks: listed in stream.gaps.json at
 * the place of the next event. `to` is UINT64_MAX where the gap lasts to the end. `reason` is a short word,
 * "paused". */
void ovni_private_gap(uint64_t from, uint64_t to, uint64_t lost, const char* reason);

/* How far the clock of this node was behind the reference's at one moment, in ns: the clock of the node
 * showed `local`, that of the reference `local` + `offset`, for certain something from `local` + `low` to
 * `local` + `high`. Added to ovni.clock of the calling thread's stream, nowhere where it has none that is
 * open. */
struct ovni_private_clock_point {
    int64_t local, offset, low, high;
    int64_t round_trip; /* the smallest one seen */
    uint64_t samples;
    const char* method;
};
void ovni_private_add_clock_point(const char* reference, const struct ovni_private_clock_point* point);

/* Writes out what all threads have recorded so far. Any thread. */
void ovni_private_flush_all(void);

/* Ends the streams that are ours, of all threads: their life cycle (OHe), their events, their metadata.
 * Afterwards ovni_private_thread_open() returns 0 in threads that had one. `by` is NULL where the program
 * ended in order, else "exit" or "signal", with `code`: written to ovni.end. */
void ovni_private_close_all(const char* by, int code);

/* --- Recording on and off --- */

/* Called in a thread, at each change of recording that concerns it, before anything later gets into its
 * stream: `on` is 0 where recording ends at the clock `at`, 1 where it begins again. What the caller emits
 * inside, at that clock, is stored in either case. Who registers one keeps its own states (those of the model
 * mpi, marks of type OVNI_MPI_REGION_MARK) and shows them itself; the states of all other models are closed
 * and opened again by the library. */
typedef void ovni_private_follower(int on, uint64_t at);
void ovni_private_follow_recording(ovni_private_follower* follower);

/* MPI_Pcontrol(0) and (1): all threads of the process stop or go on. Without effect where chains of --control
 * start or stop recording. */
void ovni_private_pause(int to_pause);

/* --- Sites of MPI that chains of --control wait for --- */

enum { OVNI_PRIVATE_AWAITS_CALL = 1, OVNI_PRIVATE_AWAITS_SLOW_CALL = 2 };
/* What is awaited, sooner or later in this process, of the function with that number (a row of
 * mpi_functions.txt, from 0): bits as above, an array that lives as long as the process; null: nothing of
 * any. Known from the first stream, or ovni_private_thread_open(), on. */
const uint8_t* ovni_private_awaited_calls(void);
/* A call of the program begins. */
void ovni_private_hit_call(uint32_t function);
/* One ends that took so long. */
void ovni_private_hit_slow_call(uint32_t function, uint64_t ns);
/* Whether a string of MPI_Pcontrol is awaited; and one that was passed, without the zero at its end. */
int ovni_private_awaits_pcontrol(void);
void ovni_private_hit_pcontrol(int level, const char* text, size_t size);

/* Numbers of threads follow the order of creation where libovni-threads.so says so: one for the thread that
 * the caller is about to create, UINT32_MAX where that is the library itself; and, as the first thing in it,
 * which one it is. */
uint32_t ovni_private_number_thread(void);
void ovni_private_thread_starts(uint32_t number);

/* Scope `job`: what fires is a wish that all ranks must learn of. The wish of this process, to be combined by
 * maximum over all ranks; 0: none. And what came out of that, the same on all ranks, which takes effect now.
 */
int ovni_private_is_job_scope(void);
uint64_t ovni_private_job_wish(void);
void ovni_private_job_agreed(uint64_t wish);

/* The directory that the trace goes to, as decided by OVNI_TRACEDIR. */
const char* ovni_private_trace_directory(void);

/* One line on stderr, where the program has not put something else there. */
void ovni_private_print(const char* text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
