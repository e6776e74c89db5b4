// Threads of the library in the program, which must not keep the process alive. The C library calls exit() in
// the last thread that ends, as behind pthread_exit() in main(): these do not count there. The system keeps a
// process as long as it has a thread: these end when all threads of the program have ended in another way.
#pragma once

namespace ovni::writer {

// The calling thread is one of these while this lives. Its maker waits until this is made.
class LibraryThread {
 public:
    LibraryThread() noexcept;
    ~LibraryThread();
    LibraryThread(const LibraryThread&) = delete;
    LibraryThread& operator=(const LibraryThread&) = delete;

 private:
    bool was_counted_;
};

// False while a thread of the program lives, and where /proc cannot be read: the process goes on then. Costs
// the reading of a small file.
bool program_threads_have_ended() noexcept;

// Call where that is so. The process ends as its main thread has ended. On Linux 5.18 and later it would have
// ended as the last thread, which nothing tells.
[[noreturn]] void end_as_main_thread() noexcept;

}  // namespace ovni::writer
