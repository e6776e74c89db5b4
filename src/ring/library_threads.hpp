// Threads of the library in the program, which must not keep the process alive. The C library calls exit() in
// the last thread that ends, as after pthread_exit() in main(): library threads are excluded from that count.
// The system keeps a process as long as it has a thread, so library threads end when all threads of the
// program have ended in another way.
#pragma once

namespace ovni::writer {

// Makes the calling thread a library thread during its lifetime. The creator of the thread waits until the
// object exists.
class LibraryThread {
 public:
    LibraryThread() noexcept;
    ~LibraryThread();
    LibraryThread(const LibraryThread&) = delete;
    LibraryThread& operator=(const LibraryThread&) = delete;

 private:
    bool was_counted_;
};

// False while a thread of the program lives, or if /proc cannot be read. Reads a small file.
bool program_threads_have_ended() noexcept;

// Call if program_threads_have_ended(). Ends the process with the status of its main thread. On Linux 5.18
// and later the status would be that of the last thread, which cannot be found out.
[[noreturn]] void end_as_main_thread() noexcept;

}  // namespace ovni::writer
