/* Regions from inside a program, for C and C++: fires the events of a region controller (start, stop,
 * threadid), like an alarm of --control, and calls listeners when events fire.
 *
 * There is nothing to link with: the functions look for the tracer in the process. If there is none, they do
 * nothing and return 0.
 */
#ifndef OVNI_CONTROL_H
#define OVNI_CONTROL_H

#include <dlfcn.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ovni_control_event { OVNI_CONTROL_START = 0, OVNI_CONTROL_STOP = 1, OVNI_CONTROL_THREADID = 2 };

/* Numbers of threads: 0 is the main thread, the others follow in the order of their creation. */
#define OVNI_CONTROL_THIS_THREAD UINT32_MAX

/* Called for each event after it took effect, in the thread that fires it. Events of timeouts and of ovnictl
 * are fired by a thread of the tracer, in which files of the program may not be used. Not called for events
 * that a signal handler fires while it interrupts the tracer. A default start comes before the thread has
 * begun to record, so events that the listener emits then may be lost. The main thread may have begun before
 * any listener was added. If it has had no event since, a new listener is called for its default start right
 * before its next event, never within ovni_control_listen(). */
typedef void ovni_control_listener(void* data, int event, uint32_t tid, int bcast);

/* A context: the registers of the thread at the instruction that fired an event; rip is its address. */
struct ovni_control_registers {
    uint64_t rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15, rsp, rflags, rip;
};

typedef const struct ovni_control_registers* ovni_control_registers_function(void); /* NOLINT: C */
typedef const void* ovni_control_address_function(void);                            /* NOLINT: C */
typedef int ovni_control_fire_event_function(int event, uint32_t tid, int bcast);
typedef int ovni_control_fire_event_at_function(int event, const struct ovni_control_registers* context,
                                                const void* address, uint32_t tid, int bcast);
typedef int ovni_control_add_listener_function(ovni_control_listener* listener, void* data);

/* Fires an event in the name of thread `tid`, for that thread or (`bcast`) for all. The option
 * --control-scope decides where recording changes. Returns 1 if a controller accepted the event. Do not call
 * in signal handlers. */
static inline int ovni_control_fire(int event, uint32_t tid, int bcast) {
    void* found = dlsym((void*)0, "ovni_control_fire_event");
    ovni_control_fire_event_function* function;
    __builtin_memcpy(&function, &found, sizeof function);
    return found ? function(event, tid, bcast) : 0;
}

/* As ovni_control_fire(), for an event at a place in the code. In listeners ovni_control_where() returns
 * `context`, and ovni_control_address() returns `address`, which is in the log, too. Both may be NULL;
 * without an address that of the context is used. The context need not outlive the call. */
static inline int ovni_control_fire_at(int event, const struct ovni_control_registers* context,
                                       const void* address, uint32_t tid, int bcast) {
    void* found = dlsym((void*)0, "ovni_control_fire_event_at");
    ovni_control_fire_event_at_function* function;
    __builtin_memcpy(&function, &found, sizeof function);
    /* A tracer older than this header does not support places. */
    return found ? function(event, context, address, tid, bcast) : ovni_control_fire(event, tid, bcast);
}

/* Adds a listener, at most 16. Returns 1 if a tracer will call it. */
static inline int ovni_control_listen(ovni_control_listener* listener, void* data) {
    void* found = dlsym((void*)0, "ovni_control_add_listener");
    ovni_control_add_listener_function* function;
    __builtin_memcpy(&function, &found, sizeof function);
    return found ? function(listener, data) : 0;
}

/* Call in a listener: the registers at the instruction that the thread was about to execute when the event
 * fired. NULL unless an alarm on the program's code fired it, or ovni_control_fire_at() with a context. An
 * alarm at an instruction, at the begin of a function or of a block fires before that instruction; an exact
 * count fires before the first instruction that it did not count. Valid until the listener returns. */
static inline const struct ovni_control_registers* ovni_control_where(void) { /* NOLINT: C */
    void* found = dlsym((void*)0, "ovni_control_get_registers");
    ovni_control_registers_function* function;
    __builtin_memcpy(&function, &found, sizeof function);
    return found ? function() : (const struct ovni_control_registers*)0;
}

/* Call in a listener: the address of the instruction that the thread was about to execute when the event
 * fired. NULL if unknown. */
static inline const void* ovni_control_address(void) { /* NOLINT: C */
    void* found = dlsym((void*)0, "ovni_control_get_address");
    ovni_control_address_function* function;
    __builtin_memcpy(&function, &found, sizeof function);
    return found ? function() : (const void*)0;
}

#ifdef __cplusplus
}
#endif

#endif
