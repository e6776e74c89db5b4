/* The interface between the writer and this project's tracing libraries (libovni-mpi and others), besides
 * ovni.h. Exported under the symbol version OVNI_PRIVATE. Not for programs: it changes without notice.
 *
 * One writer per process. A thread has a stream in one of two ways: the program opened it (ovni_proc_init,
 * ovni_thread_init), or we did, with ovni_private_thread_open(). A stream of ours is only in memory until its
 * first block is written, so its identity (loom, application, rank, CPUs) may be given later. A process that
 * records nothing leaves nothing on disk. A later ovni_proc_init, ovni_thread_init or OHx of the program
 * takes the stream over: it becomes the program's, without an error, and gets the program's identity.
 *
 * No function here throws, ends the program, or reports an error to the caller; errno is preserved. Clocks:
 * ovni_clock_now().
 */
#ifndef OVNI_PRIVATE_H
#define OVNI_PRIVATE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The identity of this process. A member that the program itself has set is ignored. Strings are copied. */
struct ovni_private_identity {
    int app;          /* > 0 */
    const char* loom; /* "<host>" or "<host>.<suffix>" */
    const char* run;  /* ovni.run: one name for all processes of the run */
    int rank, nranks; /* rank -1: none */
    const int* cpus; /* numbers of the operating system, ascending; the index of a CPU is its position here */
    int ncpus;
    const char* host;   /* of the process, as its loom may have another name; null: unknown */
    int is_provisional; /* 1: MPI_Init has begun; what is written before it ends needs a loom without
                           conflicts */
};
void ovni_private_identify(const struct ovni_private_identity* identity);

/* Gives the calling thread a stream if it has none. 1: events of the thread are recorded now: it has a stream
 * and runs by the life-cycle events of that stream. 0: they are not: its stream is finished, it is paused,
 * the process has ended, or this is a fork's child. The member `running` in the window of ovni/emit.hpp makes
 * most calls unnecessary. */
int ovni_private_thread_open(void);

/* 1: definitions that the calling thread emits are recorded, because its stream runs. Other events are
 * recorded only while recording is on. */
int ovni_private_thread_defines(void);

/* 1 unless the program has called ovni_proc_init. */
int ovni_private_process_is_ours(void);

/* 1 if the stream of the calling thread is ours: then the library records its CPU. */
int ovni_private_thread_is_ours(void);

/* The calling thread now runs on that CPU (number of the operating system). Call only if its stream is ours.
 * Writes OAs if the CPU differs from the last one and is one of the identity's. */
void ovni_private_move_to_cpu(int phyid);

/* Adds the model to ovni.require of the calling thread, once. */
void ovni_private_require(const char* model, const char* version);

/* As ovni_mark_type and ovni_mark_label, on a stream of either kind; a repeated label or type is ignored.
 * Titles and labels are cut to 511 bytes. */
void ovni_private_mark_type(int32_t type, long flags, const char* title);
void ovni_private_mark_label(int32_t type, int64_t value, const char* label);

/* Sets attributes of the calling thread's stream to texts; existing attributes are not changed. A path is
 * names joined by dots. */
struct ovni_private_attribute {
    const char *path, *text;
};
void ovni_private_describe(const struct ovni_private_attribute* attributes, size_t count);

/* Nothing was recorded in the calling thread's stream between the two clocks: listed in stream.gaps.json at
 * the place of the next event. `to` is UINT64_MAX if the gap lasts to the end. `reason` is a short word,
 * "paused". */
void ovni_private_gap(uint64_t from, uint64_t to, uint64_t lost, const char* reason);

/* How far the clock of this node was behind the reference clock at one moment, in ns. When the clock of the
 * node showed `local`, the reference clock showed about `local` + `offset`, and certainly a value from
 * `local` + `low` to `local` + `high`. */
struct ovni_private_clock_point {
    int64_t local, offset, low, high;
    int64_t round_trip; /* the smallest one seen */
    uint64_t samples;
    const char* method;
};
/* Adds the point to ovni.clock of the calling thread's stream; ignored if the thread has no open stream. */
void ovni_private_add_clock_point(const char* reference, const struct ovni_private_clock_point* point);

/* Writes all events recorded so far, of all threads. Any thread may call this. */
void ovni_private_flush_all(void);

/* Ends the streams that are ours, of all threads: their life cycle (OHe), their events, their metadata.
 * Afterwards ovni_private_thread_open() returns 0 in threads that had one. `by` is NULL if the program ended
 * regularly, else "exit" or "signal"; it is written to ovni.end with `code`. */
void ovni_private_close_all(const char* by, int code);

/* --- Recording on and off --- */

/* Called in a thread at each change of recording that concerns it, before anything later gets into its
 * stream. `on` is 0 if recording ends at the clock `at`, 1 if it begins again. Events that the follower emits
 * at that clock are stored in either case. A follower closes and opens its own states: those of the model
 * mpi, and marks of type OVNI_MPI_REGION_MARK. The library closes and opens the states of all other models.
 */
typedef void ovni_private_follower(int on, uint64_t at);
void ovni_private_follow_recording(ovni_private_follower* follower);

/* MPI_Pcontrol(0) and (1): all threads of the process stop or go on. Without effect if chains of --control
 * start or stop recording. */
void ovni_private_pause(int to_pause);

/* --- Borders of calls, regions, marks and waits, at which libovni-counters.so counts --- */

/* All are for the calling thread. read() and emit() may be called in handlers. */
struct ovni_private_border_follower {
    /* The use of the machine until now belongs to what the thread was in. */
    void (*read)(void); /* NOLINT: C */
    /* Records that at the clock `at`. Call before the event of the border is emitted. */
    void (*emit)(uint64_t at);
    /* Both, with nothing in between, if the thread counts already: this opens no files. */
    void (*count)(uint64_t at);
    /* The row of the thread begins, and with it what is counted. */
    void (*begin)(void); /* NOLINT: C */
    /* Recording goes on at the clock `at`: what was used since the last border belongs to nothing. */
    void (*resume)(uint64_t at);
    /* The process ends, or becomes another program: the last border of this thread, if it counts. */
    void (*end)(void); /* NOLINT: C */
};
/* Call before the program begins. */
void ovni_private_follow_borders(const struct ovni_private_border_follower* follower);
/* Null if there is no follower. */
const struct ovni_private_border_follower* ovni_private_borders(void);
/* Writes the names of the counters of the calling thread's stream, in the order of their indices, to
 * ovni.counters. */
void ovni_private_name_counters(const char* const* names, size_t count);

/* --- Sites of MPI that chains of --control wait for --- */

enum { OVNI_PRIVATE_AWAITS_CALL = 1, OVNI_PRIVATE_AWAITS_SLOW_CALL = 2 };
/* The sites that chains of this process may await: for each function (a row of mpi_functions.txt, from 0) the
 * bits above. The array lives as long as the process; null if no function is awaited. Known from the first
 * stream or ovni_private_thread_open() on. */
const uint8_t* ovni_private_awaited_calls(void);
/* A call of the program begins. */
void ovni_private_hit_call(uint32_t function);
/* A call of duration `ns` ends. */
void ovni_private_hit_slow_call(uint32_t function, uint64_t ns);
/* 1 if a string of MPI_Pcontrol is awaited. */
int ovni_private_awaits_pcontrol(void);
/* A string was passed to MPI_Pcontrol; `size` does not count a zero at its end. */
void ovni_private_hit_pcontrol(int level, const char* text, size_t size);

/* --- Sites in the program's code, which libovni-code.so finds --- */

enum {
    OVNI_PRIVATE_CODE_FUNCTION, /* the first instruction of a function: its symbol, its whole or its bare name
                                 */
    OVNI_PRIVATE_CODE_ENTRY,    /* likewise, by the bare name */
    OVNI_PRIVATE_CODE_EXIT,     /* the end of its outermost call, by the bare name */
    OVNI_PRIVATE_CODE_IN_IMAGE, /* `value` is the distance from the lowest address of the image `text` */
    OVNI_PRIVATE_CODE_PC,       /* `value` is an address */
    OVNI_PRIVATE_CODE_SSC,      /* `value` is the number of the marker */
    OVNI_PRIVATE_CODE_MAGIC,
    OVNI_PRIVATE_CODE_CPUID,
    OVNI_PRIVATE_CODE_INT3,
    /* The rest needs translated code. */
    OVNI_PRIVATE_CODE_ICOUNT,
    OVNI_PRIVATE_CODE_UNIFORM,
    OVNI_PRIVATE_CODE_ITEXT,         /* `text`: lower case hexadecimal digits */
    OVNI_PRIVATE_CODE_ISA_EXTENSION, /* `text`: a name in capitals */
    OVNI_PRIVATE_CODE_ISA_CATEGORY   /* likewise */
};
struct ovni_private_code_alarm {
    uint16_t number; /* in the order of chains and alarms */
    int kind;
    const char* text; /* of a function or an image, else empty */
    uint64_t value;
};
/* The alarms that wait for code of the program: their number. The array lives as long as the process. */
size_t ovni_private_code_alarms(const struct ovni_private_code_alarm** alarms);
/* The calling thread executes a place of these alarms, whose numbers ascend. Handlers may call this anywhere.
 */
void ovni_private_hit_site(const uint16_t* alarms, size_t count);
/* As ovni_private_hit_site(), for callers that have saved only the general registers. Nothing fires.
 * TO_REPORT: an event might fire, or the thread is new; nothing was done, so call ovni_private_hit_site().
 * IDLE: none of the alarms is armed in the calling thread. */
enum { OVNI_PRIVATE_SITE_COUNTED, OVNI_PRIVATE_SITE_IDLE, OVNI_PRIVATE_SITE_TO_REPORT };
int ovni_private_count_site(const uint16_t* alarms, size_t count);
/* 1 if one of these alarms is armed in a thread. The main thread counts even before its first site. */
int ovni_private_site_is_armed(const uint16_t* alarms, size_t count);
/* Sets the function that is called when an alarm of that array is armed, or when a thread begins in which it
 * is armed; in any thread and in handlers. `here`: armed in the calling thread; `elsewhere`: armed in others.
 */
void ovni_private_follow_arming(void (*armed)(uint16_t alarm, int here, int elsewhere));
/* The calling thread executes an instruction of the kinds from SSC to INT3. `value`: number of ssc; for magic
 * the first number << 32 and the second; leaf of cpuid. `detail`: subleaf. */
void ovni_private_hit_code(int kind, uint64_t value, int64_t detail);
/* 1 if the alarm is armed in the calling thread, which is registered with the controller. */
int ovni_private_is_armed_here(uint16_t alarm);

/* The number of instructions that the calling thread may execute until an alarm may fire, including the last
 * one; UINT64_MAX if none of its alarms counts. */
uint64_t ovni_private_code_until_next(void);
/* The thread executed that many since ovni_private_code_until_next(). Alarms fire after the last one that
 * they count. Alarms armed in between do not count them. */
void ovni_private_code_count(uint64_t instructions);
/* The thread is about to execute a block of that many; alarms fire at its begin. */
void ovni_private_code_block(uint64_t instructions);
/* 1 if the next instruction is the first of a sample, and ends no other count: then the event comes before
 * it. */
int ovni_private_code_begins_sample(void);
/* 0 while the calling thread is in the middle of an emission or of fork(): events would be ignored. */
int ovni_private_code_may_fire(void);
/* 1 if other threads may make the next alarm fire earlier. */
int ovni_private_code_is_shared(void);
/* 1 if an event in one thread may arm alarms of others. */
int ovni_private_code_arms_others(void);
/* Makes the calling thread, one in a process, a thread of the library: it has no number, alarms do not count
 * its work, and it does not keep the process alive. Its creator waits for this call. Call the second function
 * from time to time: it ends the thread if all threads of the program have ended. */
void ovni_private_begin_own_thread(void);
void ovni_private_end_with_program(void);
/* 1 if ovnirun itself started this process; 0 if a program under ovnirun did. */
int ovni_private_is_first_process(void);
/* How instructions are counted. `exact`: 0 if alarms fire at the begin of a block. `images`: the files whose
 * code is counted, separated by commas; empty for all. `counter`: cache, processor or time. */
void ovni_private_code_accuracy(int* exact, const char** images, const char** counter);

/* Sets the function that is called in a child of fork(), before an alarm fires there. */
void ovni_private_follow_fork(void (*in_child)(void)); /* NOLINT: C */

/* Returns the calling thread's registers (ovni/control.h) at the code that it reports, or NULL. */
struct ovni_control_registers;
typedef const struct ovni_control_registers* ovni_private_registers(void); /* NOLINT: C */
void ovni_private_follow_registers(ovni_private_registers* registers);

/* libovni-threads.so calls these two, so that numbers of threads follow the order of creation. Returns the
 * number for the thread that the caller is about to create; UINT32_MAX if the caller is the library itself.
 */
uint32_t ovni_private_number_thread(void);
/* The first call in a new thread, with that number. */
void ovni_private_thread_starts(uint32_t number);

/* The number of forks, of any kind, between the started program and this process. Grows in a child once the
 * library has noticed the fork. */
uint32_t ovni_private_fork_depth(void);

/* Identity comes from the launcher, the system and ovnirun until MPI_Init or ovni_proc_init. Call in the
 * constructor of a library that opens streams without either. */
void ovni_private_introduce_process(void);

/* --- Rows of threads that emit nothing, for libovni-threads.so --- */

/* Gives the process rows: introduces it, and lets the row of the main thread begin with the process. */
void ovni_private_show_threads(void);
/* Gives the calling thread a stream of ours if it has none. It is written even if nothing is emitted: a row
 * from now to the end of the thread. If `unless_exec` is not 0, an exec removes it. A process that calls
 * ovni_proc_init has only the rows of its own streams. */
void ovni_private_show_thread(int unless_exec);
/* 1 once the process, or the one that it was forked from, has called ovni_proc_init. Then the program itself
 * records its threads, and its trace has only events that every emulator reads. */
int ovni_private_program_describes_itself(void);
/* Sets the name of a thread, of which 15 bytes count; a later name replaces it. Ignored if the thread has no
 * stream. */
void ovni_private_name_thread(pthread_t thread, const char* name);
/* The process is about to call exec (1), or exec has failed (0). */
void ovni_private_expect_exec(int is_coming);
/* The process ends without exit(): its end is recorded in the streams, as at exit(). `status` as of _exit().
 */
void ovni_private_expect_end(int status);
/* The process is about to call chroot(): its streams keep their paths from before. Opens a descriptor and
 * returns 1 if none is open yet. If chroot() failed, close it by ovni_private_leave_root. */
int ovni_private_keep_root(void);
void ovni_private_leave_root(void);
/* 1 if ovnirun started this process, even if it has called exec since. */
int ovni_private_is_program(void);
/* 1 if this process is mpirun or a daemon of it. */
int ovni_private_is_launcher(void);

/* 1 if the scope is `job`: an event that fires is only a wish until all ranks agree. */
int ovni_private_is_job_scope(void);
/* The wish of this process; 0: none. The ranks combine their wishes by maximum. */
uint64_t ovni_private_job_wish(void);
/* Applies that maximum, which is equal on all ranks. */
void ovni_private_job_agreed(uint64_t wish);

/* Whether a chain has begun recording in this process. It is not needed if recording begins at once. */
enum { OVNI_PRIVATE_START_NOT_NEEDED, OVNI_PRIVATE_START_MISSING, OVNI_PRIVATE_START_SEEN };
int ovni_private_control_start(void);
/* The numbers of ranks in the job with a start and without. Afterwards the process does not warn about its
 * own missing start. If `to_warn` is not 0, it warns about the ranks without. */
void ovni_private_tell_control_starts(uint64_t seen, uint64_t missing, int to_warn);

/* The name that ovnirun gave the run, in `size` bytes with the 0; "" if the process does not run below
 * ovnirun. */
void ovni_private_run_of_session(char* name, size_t size);

/* The directory of the trace, as OVNI_TRACEDIR decides. */
const char* ovni_private_trace_directory(void);

/* Prints one line on stderr, unless the program has opened another file under that number. */
void ovni_private_print(const char* text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
