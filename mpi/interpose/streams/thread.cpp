#include "mpi/interpose/streams/thread.hpp"

#include <pthread.h>

#include <cerrno>
#include <cstdlib>
#include <new>

#include "mpi/interpose/streams/recorder.hpp"

namespace ovni::mpi {

namespace {

pthread_key_t end_of_thread;
bool have_key = false;
pthread_once_t key_made = PTHREAD_ONCE_INIT;

void thread_ends(void* argument) {
    auto* thread = static_cast<Thread*>(argument);
    own_thread = thread;
    end_thread(*thread);
    own_thread = nullptr;
    thread->~Thread();
    free(thread);
}

void make_key() {
    have_key = pthread_key_create(&end_of_thread, thread_ends) == 0;
}

// Without an answer no address is in it. It may allocate, which a handler that jumps out of a call must not.
void find_stack(Thread& thread) noexcept {
    thread.stack_begin = thread.stack_end = 1;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void* begin = nullptr;
    size_t size = 0;
    if (pthread_attr_getstack(&attributes, &begin, &size) == 0) {
        thread.stack_begin = reinterpret_cast<uintptr_t>(begin);
        thread.stack_end = thread.stack_begin + size;
    }
    pthread_attr_destroy(&attributes);
}

}  // namespace

bool is_on_stack(const Thread& thread, const void* address) noexcept {
    auto place = reinterpret_cast<uintptr_t>(address);
    return thread.stack_begin <= place && place < thread.stack_end;
}

Thread* make_thread() noexcept {
    pthread_once(&key_made, make_key);
    void* memory = malloc(sizeof(Thread));
    if (!memory) return nullptr;
    own_thread = new (memory) Thread;
    own_thread->error = &errno;
    find_stack(*own_thread);
    if (have_key) pthread_setspecific(end_of_thread, own_thread);
    return own_thread;
}

}  // namespace ovni::mpi
