/* A call during which the thread may be cancelled, or an exception may pass. Compiled with tables for both,
 * so nothing is registered that longjmp() could leave behind. */
#ifndef OVNI_THREADS_UNWOUND_H
#define OVNI_THREADS_UNWOUND_H

#ifdef __cplusplus
extern "C" {
#endif

/* Calls `call`, then `left`, both with `argument`; `left` even if `call` is left without returning. */
void ovni_threads_call(void (*call)(void*), void (*left)(void*), void* argument);

#ifdef __cplusplus
}
#endif

#endif
