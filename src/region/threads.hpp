// The controller's threads: their numbers, and which of them live. The main thread is 0. The others are
// numbered at their creation (libovni-threads.so), or else at their first call of the controller.
//
// A thread may report an event for another attached thread, which cannot end during the report.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "ovni/control.h"
#include "region/engine.hpp"
#include "runtime/gate.hpp"
#include "runtime/guard.hpp"

namespace ovni::region {

enum class Phase : uint8_t {
    fresh,      // unknown to the controller
    attaching,  // its default start fires
    attached,
    helper,  // a thread of the library, which reports for others
    over
};

// The state of the calling thread.
struct OwnThread {
    Thread thread;
    Phase phase = Phase::fresh;
    bool is_numbered = false;
    bool has_wish = false;  // `wish` takes effect with its first stream
    writer::Recording wish = writer::Recording::on;
};
inline constinit thread_local OwnThread own_thread;

// Set by libovni-code.so: programs have little room for thread-local memory of ours.
using RegistersFunction = const ::ovni_control_registers* (*)();
inline constinit std::atomic<RegistersFunction> registers_function{nullptr};

// The place in the code where an event fires.
struct FiredAt {
    const ::ovni_control_registers* registers = nullptr;  // null: not known
    uint64_t address = 0;                                 // of the next instruction; 0: not known
};

// For an event of the calling thread: the place given by the program, or that of its alarm on code.
FiredAt fired_at() noexcept;

// While this object lives, events of the calling thread fire at the given place; without a place, at that of
// their alarm.
class FiringAt {
 public:
    FiringAt() noexcept;
    explicit FiringAt(const FiredAt& at) noexcept;
    FiringAt(const FiringAt&) = delete;
    FiringAt& operator=(const FiringAt&) = delete;
    ~FiringAt();

 private:
    FiredAt at_;
    const void* outer_;  // of an event whose listener fires this one
};

class ThreadNumbers {
 public:
    uint32_t next() noexcept { return next_.fetch_add(1, std::memory_order_relaxed); }
    // The number for a thread that is about to be created.
    uint32_t take() noexcept {
        are_taken_.store(true, std::memory_order_relaxed);
        return next();
    }
    bool are_taken() const noexcept { return are_taken_.load(std::memory_order_relaxed); }
    void start_over_in_child() noexcept { next_.store(1, std::memory_order_relaxed); }

 private:
    std::atomic<uint32_t> next_{1};
    std::atomic<bool> are_taken_{false};
};

class ThreadTable {
 public:
    static constexpr uint32_t most = 1024;  // as many as the engine has slots

    constexpr ThreadTable() = default;

    // Keeps an attached thread from ending.
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

    // Call all functions inside a SlowPath. A thread without a slot is not in the table.
    void add(Thread thread, writer::Stream* stream) noexcept;
    void set_stream(Thread thread, writer::Stream* stream) noexcept;
    // These two return when no other thread reports for this thread.
    void forget_stream(Thread thread) noexcept;
    void remove(Thread thread) noexcept;
    // Empty if no thread has that number.
    Use find(uint32_t number) noexcept;
    // The thread with the lowest number from `least` on.
    Use next_from(uint32_t least) noexcept;
    // Call in a fork's child, which has only this thread, with number 0.
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
