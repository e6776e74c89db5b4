/* The C API of the runtime library, by which a program or a parallel runtime records its own events.
 *
 * A process calls ovni_version_check() and ovni_proc_init() once. Every thread that records calls
 * ovni_thread_init(), describes itself (CPUs, required models, attributes, mark types), emits events with
 * clocks that never decrease, and calls ovni_thread_free(). When all threads are done, ovni_proc_fini(). A
 * call out of this order is a mistake of the program and ends it with a message. A disk that cannot be
 * written never ends the program: lost events are counted, and the trace holds the count.
 *
 * Source and binary compatible with version 1.14.0 of the ovni library.
 */
#ifndef OVNI_H
#define OVNI_H

#include <limits.h>
#include <linux/limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define OVNI_METADATA_VERSION 3 /* of stream.json */

/* Trace directory, unless the environment variable of this name sets another. */
#define OVNI_TRACEDIR "ovni"
#define OVNI_MAX_HOSTNAME 512 /* a loom name is shorter */

#define OVNI_MAX_EV_BUF (2 * 1024LL * 1024LL) /* an event with its header is smaller, in bytes */

#define OVNI_STREAM_MAGIC "ovni"
#define OVNI_STREAM_VERSION 1
#define OVNI_STREAM_EXT ".obs"

#define OVNI_MODEL_VERSION "1.1.0" /* of the event model "ovni" */
#define OVNI_LIB_VERSION "1.14.0"
#ifndef OVNI_GIT_COMMIT
#define OVNI_GIT_COMMIT "unknown"
#endif

enum ovni_ev_flags {
    OVNI_EV_JUMBO = 0x10 /* the payload is a size and that many bytes */
};

enum ovni_mark_flags {
    OVNI_MARK_STACK = 1,   /* values are pushed and popped, not only set */
    OVNI_MARK_PUNCTUAL = 2 /* ours: a value that is set stands for an instant, and is shown for 1 ns */
};

struct __attribute__((__packed__)) ovni_jumbo_payload {
    uint32_t size;
    uint8_t data[1]; /* the first of `size` bytes */
};

union __attribute__((__packed__)) ovni_ev_payload {
    int8_t i8[16];
    int16_t i16[8];
    int32_t i32[4];
    int64_t i64[2];
    uint8_t u8[16];
    uint16_t u16[8];
    uint32_t u32[4];
    uint64_t u64[2];
    struct ovni_jumbo_payload jumbo;
};

struct __attribute__((__packed__)) ovni_ev_header {
    uint8_t flags; /* low nibble: size of the payload less one, 0 without payload */
    uint8_t model;
    uint8_t category;
    uint8_t value;
    uint64_t clock; /* ns */
};

/* Must be all zero before it is passed to any function of this header. */
struct __attribute__((__packed__)) ovni_ev {
    struct ovni_ev_header header;
    union ovni_ev_payload payload;
};

struct __attribute__((__packed__)) ovni_stream_header {
    char magic[4];
    uint32_t version;
};

/* Ends the program unless the library can serve a program built with this header. */
#define ovni_version_check() ovni_version_check_str(OVNI_LIB_VERSION)
void ovni_version_check_str(const char* version);

/* Version and commit of the loaded library, static strings. */
void ovni_version_get(const char** version, const char** commit);

/* app: > 0, a number for each application of a trace. loom: "<host>.<anything>", the set of CPUs that this
 * process shares with others. */
void ovni_proc_init(int app, const char* loom, int pid);

/* The MPI rank of this process; written with the metadata of the calling thread. */
void ovni_proc_set_rank(int rank, int nranks);

void ovni_proc_fini(void);

/* tid: not 0, different in every thread of the process. */
void ovni_thread_init(pid_t tid);

/* 1 between ovni_thread_init() and ovni_thread_free() of the calling thread, else 0. */
int ovni_thread_isready(void);

/* The calling thread emits events of this model, in this version ("1.2.3"). */
void ovni_thread_require(const char* model, const char* version);

void ovni_thread_free(void);

/* Adds a CPU to the loom: its index in the loom, from 0 without holes, and its number in the system. */
void ovni_add_cpu(int index, int phyid);

/* The clock of events: ns on this node. */
uint64_t ovni_clock_now(void);

void ovni_ev_set_clock(struct ovni_ev* ev, uint64_t clock);
uint64_t ovni_ev_get_clock(const struct ovni_ev* ev);

/* mcv: three characters: model, category, value. */
void ovni_ev_set_mcv(struct ovni_ev* ev, const char* mcv);

/* Appends 2 to 16 bytes; a payload has at most 16 bytes. */
void ovni_payload_add(struct ovni_ev* ev, const uint8_t* buf, int size);

/* Bytes of the payload, and of the whole event as it is stored. */
int ovni_payload_size(const struct ovni_ev* ev);
int ovni_ev_size(const struct ovni_ev* ev);

void ovni_ev_emit(struct ovni_ev* ev);

/* Emits an event without payload of its own together with `bufsize` bytes, and marks `ev` as jumbo: clear it
 * before its next use. */
void ovni_ev_jumbo_emit(struct ovni_ev* ev, const uint8_t* buf, uint32_t bufsize);

/* Writes the calling thread's events to disk, and records how long that took. */
void ovni_flush(void);

/* Attributes of the calling thread, kept in its stream.json. A key is a path of names joined by dots; those
 * below "ovni." belong to the library. Reading an absent key, or one of another type, ends the program. */
int ovni_attr_has(const char* key);
void ovni_attr_set_double(const char* key, double num);
void ovni_attr_set_boolean(const char* key, int value);
void ovni_attr_set_str(const char* key, const char* value);
void ovni_attr_set_json(const char* key, const char* json);
double ovni_attr_get_double(const char* key);
int ovni_attr_get_boolean(const char* key);
const char* ovni_attr_get_str(const char* key); /* valid until the attribute is set again */
char* ovni_attr_get_json(const char* key);      /* free() it */
void ovni_attr_flush(void);                     /* writes stream.json now */

/* Marks: values over time that the program defines. A type (0 to 99) has a title, a value (> 0) may have a
 * label. flags is 0 or one of ovni_mark_flags; both are a mistake of the program. Values of a stack are
 * pushed and popped, all others set. A punctual value ends by itself: afterwards the row shows the previous
 * value. The reference emulator treats a punctual type like one of flags 0, where a value lasts until the
 * next. */
void ovni_mark_type(int32_t type, long flags, const char* title);
void ovni_mark_label(int32_t type, int64_t value, const char* label);
void ovni_mark_push(int32_t type, int64_t value);
void ovni_mark_pop(int32_t type, int64_t value);
void ovni_mark_set(int32_t type, int64_t value);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
