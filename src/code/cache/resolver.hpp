// The resolver of translated code: handles the requests of threads there, and decides which threads may run
// there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "code/cache/cache_switch.hpp"
#include "code/cache/code_cache.hpp"
#include "code/cache/translated_threads.hpp"
#include "code/thread_rooms.hpp"

namespace ovni::code {

inline constinit thread_local ThreadContext* own_context = nullptr;

// Not 0 while our own work runs in this thread, which must not be translated in the middle of it.
inline constinit thread_local volatile int own_work = 0;

class TranslatedThreads {
 public:
    TranslatedThreads(const Sites& sites, ReportSite report) noexcept
        : sites_(sites), report_(report), cache_(sites, match_) {}

    bool prepare(std::span<const ovni_private_code_alarm> alarms) noexcept;
    uint64_t resolve(const Request& request, ThreadContext& own) noexcept;
    // True if the thread can run in translated code.
    bool attach() noexcept;
    bool is_wanted() noexcept;
    void end_native_count(ThreadContext& own) noexcept;
    void ask_again(ThreadContext& own) noexcept;
    CodeCache& cache() noexcept { return cache_; }
    void start_over_in_child() noexcept;
    // Changes the context to that of a thread in translated code.
    void resume(ucontext_t* context, GoOn where, ThreadContext& own) noexcept;
    void warn(const char* what, uint64_t address) noexcept;

 private:
    static constexpr size_t own_stack_bytes = size_t{1} << 20;
    static constexpr uint64_t most_shared = uint64_t{1} << 16;

    // The address at which the thread continues: `piece` is null if it leaves translated code.
    struct Arrival {
        const Piece* piece;
        uint64_t host;
        bool is_over_border;
    };

    ThreadContext* take_context() noexcept;
    bool counts_natively(ThreadContext& own) noexcept;
    void settle(ThreadContext& own) noexcept;
    bool update(ThreadContext& own) noexcept;
    bool update_once(ThreadContext& own) noexcept;
    uint64_t leave(ThreadContext& own, uint64_t address) noexcept;
    bool is_still_wanted(ThreadContext& own) noexcept;
    Arrival arrive(ThreadContext& own, uint64_t address, Form form) noexcept;
    uint64_t go_on(ThreadContext& own, uint64_t address, Form form, uint8_t* slot = nullptr) noexcept;
    uint64_t jump_to_target(ThreadContext& own) noexcept;
    uint64_t go_on_behind(ThreadContext& own, uint64_t address) noexcept;
    uint64_t put_off(ThreadContext& own, const Piece& piece) noexcept;
    uint64_t spend(ThreadContext& own, const Piece& piece) noexcept;
    uint64_t go_on_counted(ThreadContext& own, uint64_t address) noexcept;
    uint64_t come_to_place(ThreadContext& own, uint64_t address) noexcept;
    uint64_t call_system(ThreadContext& own, const Request& request) noexcept;
    uint64_t call_natively(ThreadContext& own) noexcept;
    void report_matches(uint64_t address) noexcept;
    static void expect_vfork(ThreadContext& own) noexcept;
    static void look_for_end_of_vfork(ThreadContext& own) noexcept;

    const Sites& sites_;
    ReportSite report_;
    InstructionMatch match_;
    CodeCache cache_;
    CalledFunctions functions_;
    bool is_exact_ = false;
    std::atomic<Counter> counter_{Counter::cache};
    bool is_ready_ = false;
    std::atomic<bool> is_reported_{false};
    ThreadRooms<ThreadContext, own_stack_bytes> contexts_;
    std::atomic<int> inside_{0};  // threads in translated code, roughly
};

// Never destroyed, because threads may be in translated code until the process ends. Null if no alarm needs
// it.
inline constinit TranslatedThreads* threads = nullptr;

}  // namespace ovni::code
