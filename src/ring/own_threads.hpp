// Threads of the library in the program, which must not keep the process alive. The C library calls exit() in
// the last thread that ends, as behind pthread_exit() in main(): these do not count there. The system keeps a
// process as long as it has a thread: these end when all threads of the program have ended in another way.
#pragma once

namespace ovni::writer {

// The calling thread is one of these while this lives. The thread that makes it waits for that.
class OwnThread {
 public:
    OwnThread() noexcept;
    ~OwnThread();
    OwnThread(const OwnThread&) = delete;
    OwnThread& operator=(const OwnThread&) = delete;

 private:
    bool counted_before_;
};

// False while a thread of the program lives, and where /proc is missing. Costs the reading of a small file.
bool program_threads_have_ended() noexcept;

// Call where that is so. The process has the status of its main thread.
[[noreturn]] void end_as_main_thread() noexcept;

// Call in a child, which has none of them.
void forget_own_threads() noexcept;

}  // namespace ovni::writer
