#include "mpi/trace/thread.hpp"

#include <pthread.h>

#include <cerrno>
#include <cstdlib>
#include <new>

#include "mpi/trace/pause.hpp"
#include "mpi/trace/recorder.hpp"

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

}  // namespace

Thread* make_thread() noexcept {
    pthread_once(&key_made, make_key);
    void* memory = malloc(sizeof(Thread));
    if (!memory) return nullptr;
    own_thread = new (memory) Thread;
    own_thread->error = &errno;
    own_thread->pause_count = pause_count.load(std::memory_order_acquire);
    own_thread->suspended = is_pause(own_thread->pause_count);
    if (have_key) pthread_setspecific(end_of_thread, own_thread);
    return own_thread;
}

}  // namespace ovni::mpi
