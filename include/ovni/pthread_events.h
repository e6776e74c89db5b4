/* Events of the model `pthread`, version 1.1.0: what a thread waits for in the functions of POSIX threads,
 * semaphores and C11 threads.
 *
 *     H.[   u32 object, i32 holder              the thread waits in a state, see src/model/pthread.cpp
 *     H.]   u32 object, i32 holder, i32 error   it goes on
 *     H.d+  u32 object, u64 address, name, 0    defines an object; the name may be empty
 *     HNp+  u32 object, code, 0                 code that waits for the object, since 1.1.0
 *
 * The error is what the function returned, in one thread of a barrier PTHREAD_BARRIER_SERIAL_THREAD (-1). It
 * is ECANCELED if the thread was cancelled. Without it the writer closed the state, because recording ended.
 *
 * Objects have numbers in a process, from 1, by kind and address: two objects that lie at one address one
 * after the other share a number. Threads that are joined have theirs by tid. 0 is any object beyond the
 * first 65535, or 16384 threads. A thread that runs the function of a pthread_once_t does not wait. Every
 * stream defines an object before the event that first names it, and may do so again. The holder is the tid
 * of the thread that holds the object when the wait begins; 0 if unknown.
 *
 * HNp may follow the first definition in a stream. The code is "BUILD_ID ADDRESS PATH": the file of the code,
 * and in it the return address of the wait that the stream defines the object for, in hexadecimal digits. No
 * build id is "-". */
#ifndef OVNI_PTHREAD_EVENTS_H
#define OVNI_PTHREAD_EVENTS_H

#define OVNI_PTHREAD_MODEL "pthread"
#define OVNI_PTHREAD_VERSION "1.1.0"

#endif
