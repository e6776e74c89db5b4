// Threads as the controller knows them: their numbers, and which of them are there. The main thread is 0,
// the others are numbered where they are created (libovni-threads.so), or else where they first come by.
//
// Another thread may report an event for one that is attached; as long as it does so, that one does not end.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "region/engine.hpp"
#include "runtime/gate.hpp"
#include "runtime/guard.hpp"

namespace ovni::region {

enum class Phase : uint8_t {
    fresh,      // has not come by
    attaching,  // its default start fires
    attached,
    helper,  // of the library: it reports for others
    over
};

// Of the calling thread.
struct OwnThread {
    Thread thread;
    Phase phase = Phase::fresh;
    bool is_numbered = false;
    bool has_wish = false;  // what it wants counts from its first stream on
    writer::Recording wish = writer::Recording::on;
};
inline constinit thread_local OwnThread own_thread;

class ThreadNumbers {
 public:
    uint32_t next() noexcept { return next_.fetch_add(1, std::memory_order_relaxed); }
    void start_over_in_child() noexcept { next_.store(1, std::memory_order_relaxed); }

 private:
    std::atomic<uint32_t> next_{1};
};

class ThreadTable {
 public:
    static constexpr uint32_t most = 1024;  // as many as the engine has slots

    constexpr ThreadTable() = default;

    // An attached thread that does not end before this does.
    class Use {
     public:
        Use(ThreadTable& table, uint32_t slot) noexcept : table_(&table), slot_(slot) {}
        Use(Use&& other) noexcept : table_(other.table_), slot_(other.slot_) { other.table_ = nullptr; }
        Use& operator=(Use&&) = delete;
        ~Use();
        explicit operator bool() const noexcept { return table_ != nullptr; }
        Thread thread() const noexcept;
        writer::Stream* stream() const noexcept;

     private:
        friend class ThreadTable;
        Use() noexcept = default;
        ThreadTable* table_ = nullptr;
        uint32_t slot_ = 0;
    };

    // A thread without a slot is not in the table. Inside a SlowPath, all of these.
    void add(Thread thread, writer::Stream* stream) noexcept;
    void set_stream(Thread thread, writer::Stream* stream) noexcept;
    // These return when nobody reports for it any more.
    void forget_stream(Thread thread) noexcept;
    void remove(Thread thread) noexcept;
    // Nothing where there is none of that number.
    Use find(uint32_t number) noexcept;
    // The one with the lowest number from `least` on.
    Use next_from(uint32_t least) noexcept;
    // In a fork's child, which has that one only, as number 0.
    void start_over_in_child(Thread thread) noexcept;

 private:
    struct Entry {
        std::atomic<bool> is_there{false};
        std::atomic<uint32_t> number{0};
        std::atomic<writer::Stream*> stream{nullptr};
        std::atomic<uint32_t> users{0};
    };
    static void await_users(const Entry& entry) noexcept;

    writer::Mutex mutex_;
    std::array<Entry, most> entries_{};
};

}  // namespace ovni::region
