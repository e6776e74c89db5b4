// Per-thread memory of the library, one Room for each thread that takes one. Room has a member `thread`, the
// thread id, and begins as zeros. A room whose thread has ended is reused.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include "code/system_call.hpp"

namespace ovni::code {

// Below each room is a stack of stack_bytes.
template <class Room, size_t stack_bytes>
class ThreadRooms {
 public:
    // Null if memory runs out, if there are too many threads, and in a child of vfork(), whose memory is the
    // parent's. forget(room) is called for a room that is reused.
    template <class Forget>
    Room* take(Forget forget) noexcept {
        int none = 0;
        const auto process = static_cast<int>(system_call(SYS_getpid));
        if (!process_.compare_exchange_strong(none, process) && none != process) return nullptr;
        const auto thread = static_cast<int>(system_call(SYS_gettid));
        const size_t count = this->count();
        for (size_t i = 0; i < count; ++i)
            if (Room* room = all_[i].load(std::memory_order_acquire);
                room != nullptr && take(*room, thread)) {
                forget(*room);
                return room;
            }
        return add(thread);
    }
    // Call in a child of fork(); `own` is the room of its thread, or null.
    void start_over_in_child(Room* own) noexcept {
        process_.store(static_cast<int>(system_call(SYS_getpid)));
        if (own != nullptr) own->thread = static_cast<int>(system_call(SYS_gettid));
    }
    bool holds(const void* room) const noexcept {
        for (size_t i = 0; i < count(); ++i)
            if (all_[i].load(std::memory_order_acquire) == room) return true;
        return false;
    }

 private:
    static constexpr size_t most = 4096;

    size_t count() const noexcept {
        const size_t count = count_.load(std::memory_order_acquire);
        return count < most ? count : most;
    }
    static bool take(Room& room, int thread) noexcept {
        int held = __atomic_load_n(&room.thread, __ATOMIC_RELAXED);
        const bool is_free =
            held == thread || system_call(SYS_tgkill, system_call(SYS_getpid), held, 0) == -ESRCH;
        return is_free && __atomic_compare_exchange_n(&room.thread, &held, thread, false, __ATOMIC_ACQ_REL,
                                                      __ATOMIC_RELAXED);
    }
    Room* add(int thread) noexcept {
        const size_t place = count_.fetch_add(1);
        if (place >= most) return nullptr;
        constexpr long failures = -4096;
        const long memory = system_call(SYS_mmap, 0, stack_bytes + sizeof(Room), PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (memory < 0 && memory > failures) return nullptr;
        auto* room = reinterpret_cast<Room*>(static_cast<uintptr_t>(memory) + stack_bytes);
        room->thread = thread;
        all_[place].store(room, std::memory_order_release);
        return room;
    }

    std::array<std::atomic<Room*>, most> all_{};
    std::atomic<size_t> count_{0};
    std::atomic<int> process_{0};
};

}  // namespace ovni::code
