#include "code/cache/resolver.hpp"

#include <asm/prctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "code/extended_state.hpp"

namespace ovni::code {

bool TranslatedThreads::prepare(std::span<const ovni_private_code_alarm> alarms) noexcept {
    std::string error;
    for (const ovni_private_code_alarm& alarm : alarms) {
        const bool is_match = alarm.kind == OVNI_PRIVATE_CODE_ITEXT ||
                              alarm.kind == OVNI_PRIVATE_CODE_ISA_EXTENSION ||
                              alarm.kind == OVNI_PRIVATE_CODE_ISA_CATEGORY;
        if (!is_match || match_.add(alarm, error)) continue;
        const std::string line = "WARN: --control: " + error + "\n";
        ovni_private_print(line.data(), line.size());
    }
    const char* images = "";
    int is_exact = 0;
    const char* counter = "";
    ovni_private_code_accuracy(&is_exact, &images, &counter);
    is_exact_ = is_exact != 0;
    counter_ = counter_named(counter);
    functions_.find();
    is_ready_ = cache_.prepare(images);
    if (!is_ready_)
        warn("instructions are not counted, as the system gives no memory that may be written and executed",
             0);
    return is_ready_;
}

void TranslatedThreads::warn(const char* what, uint64_t address) noexcept {
    if (is_reported_.exchange(true)) return;
    char line[256];
    const int size = address == 0 ? snprintf(line, sizeof line, "WARN: --control: %s\n", what)
                                  : snprintf(line, sizeof line, "WARN: --control: %s, from 0x%zx on\n", what,
                                             static_cast<size_t>(address));
    ovni_private_print(line, static_cast<size_t>(size));
}

ThreadContext* TranslatedThreads::take_context() noexcept {
    ThreadContext* context = contexts_.take([](ThreadContext& used) { used.counter.close(); });
    if (context == nullptr) return nullptr;
    context->self = context;
    context->own_stack = reinterpret_cast<uint64_t>(context);
    context->saved_state = extended_state();
    return context;
}

bool TranslatedThreads::attach() noexcept {
    if (!is_ready_) return false;
    uint64_t base = 0;
    ::syscall(SYS_arch_prctl, ARCH_GET_GS, &base);
    ThreadContext* context = own_context != nullptr ? own_context : take_context();
    if (context == nullptr) return false;
    const bool is_ours =
        own_context != nullptr || base == 0 || contexts_.holds(reinterpret_cast<ThreadContext*>(base));
    if (!is_ours || ::syscall(SYS_arch_prctl, ARCH_SET_GS, context) != 0) {
        warn("instructions are not counted in threads that use the segment register GS", 0);
        return false;
    }
    if (own_context == nullptr) own_context = context;
    if (counts_natively(*context)) return false;
    context->is_resolving = 0;
    context->is_deferred = 0;
    context->granted = context->left = 0;
    context->is_stepping = context->has_vforked = context->is_to_leave = false;
    context->is_return = 0;
    // Our own functions enter.
    context->crossings.begin(Owner::tracer);
    // Code may have been unmapped, and other code mapped, without notice.
    if (inside_.fetch_add(1) == 0) cache_.look_again();
    if (!update(*context)) {
        inside_.fetch_sub(1);
        return false;
    }
    context->is_inside = true;
    return true;
}

// True if the thread can go on in the program's own code, with a counter that ends that before an alarm
// fires.
bool TranslatedThreads::counts_natively(ThreadContext& own) noexcept {
    constexpr uint64_t rest = 200'000;  // for translated code, as the counter stops somewhat late
    const Counter what = counter_.load(std::memory_order_relaxed);
    if (what == Counter::cache || ovni_private_code_is_shared()) return false;
    if (std::ranges::any_of(match_.alarms(),
                            [](uint16_t alarm) { return ovni_private_is_armed_here(alarm); }))
        return false;
    uint64_t until = ovni_private_code_until_next();
    if (until == UINT64_MAX || (what == Counter::processor && until < 2 * rest)) return false;
    if (what == Counter::processor) until -= rest;
    const int error = own.counter.start(what, until);
    if (error == 0) return true;
    counter_.store(Counter::cache, std::memory_order_relaxed);
    char line[160];
    const int size =
        snprintf(line, sizeof line,
                 "WARN: --control: the system gives no such counter (%s); instructions are counted in "
                 "translated code\n",
                 strerrordesc_np(error));
    ovni_private_print(line, static_cast<size_t>(size));
    return false;
}

void TranslatedThreads::end_native_count(ThreadContext& own) noexcept {
    if (!own.counter.is_running()) return;
    const uint64_t count = own.counter.stop();
    if (count > 0) ovni_private_code_count(count);
}

bool TranslatedThreads::is_wanted() noexcept {
    if (!is_ready_) return false;
    if (ovni_private_code_until_next() < UINT64_MAX) return true;
    return std::ranges::any_of(match_.alarms(),
                               [](uint16_t alarm) { return ovni_private_is_armed_here(alarm); });
}

// The counts so far become those of the alarms; they may fire.
void TranslatedThreads::settle(ThreadContext& own) noexcept {
    const int64_t executed = own.granted - own.left;
    own.granted = own.left;
    if (executed > 0) ovni_private_code_count(static_cast<uint64_t>(executed));
}

// False if nothing is armed in this thread.
bool TranslatedThreads::update(ThreadContext& own) noexcept {
    for (;;) {
        own.answered = __atomic_load_n(&own.wishes, __ATOMIC_RELAXED);
        const bool is_wanted = update_once(own);
        if (own.answered == __atomic_load_n(&own.wishes, __ATOMIC_RELAXED)) return is_wanted;
    }
}

bool TranslatedThreads::update_once(ThreadContext& own) noexcept {
    constexpr uint64_t most = uint64_t{1} << 46;
    const uint64_t until = ovni_private_code_until_next();
    own.is_matching = std::ranges::any_of(match_.alarms(),
                                          [](uint16_t alarm) { return ovni_private_is_armed_here(alarm); });
    uint64_t granted = std::min(until, most);
    const auto sharing = static_cast<uint64_t>(std::max(inside_.load(std::memory_order_relaxed), 1));
    own.is_limited = ovni_private_code_is_shared();
    // Close to the end of a shared count, blocks are counted one by one.
    if (own.is_limited && until < most_shared)
        granted = 1;
    else if (own.is_limited)
        granted = std::min(granted, std::clamp<uint64_t>(until / (2 * sharing), 1, most_shared));
    // A block that has the last one asks.
    own.granted = own.left = static_cast<int64_t>(granted - 1);
    return until < UINT64_MAX || own.is_matching;
}

// The next block asks again.
void TranslatedThreads::ask_again(ThreadContext& own) noexcept {
    own.wishes = own.wishes + 1;
    own.granted -= own.left + 1;
    own.left = -1;
}

uint64_t TranslatedThreads::leave(ThreadContext& own, uint64_t address) noexcept {
    own.is_inside = false;
    own.registers.rip = address;
    inside_.fetch_sub(1);
    return address;
}

// Our own functions may have armed an alarm.
bool TranslatedThreads::is_still_wanted(ThreadContext& own) noexcept {
    if (own.crossings.is_for_tracer() || own.answered == own.wishes || !ovni_private_code_may_fire())
        return true;
    settle(own);
    return update(own);
}

TranslatedThreads::Arrival TranslatedThreads::arrive(ThreadContext& own, uint64_t address,
                                                     Form form) noexcept {
    const bool is_return = own.is_return != 0;
    own.is_return = 0;
    const bool is_over_border =
        own.crossings.go({address, cache_.owner_at(address), own.registers.rsp, is_return}, functions_);
    if (own.is_to_leave || (is_over_border && !is_still_wanted(own)))
        return {nullptr, leave(own, address), true};
    form.work = own.crossings.is_for_tracer() ? Work::tracer
                : own.is_matching             ? Work::searched
                                              : Work::program;
    const Piece* piece = cache_.block(address, form);
    if (piece == nullptr) {
        // A jump to nowhere is the program's own fault, and fails there as ever.
        if (cache_.is_counted(address) || !cache_.knows_memory())
            warn("instructions of a thread are no longer counted", address);
        return {nullptr, leave(own, address), is_over_border};
    }
    own.registers.rip = address;
    return {piece, reinterpret_cast<uint64_t>(piece->begin), is_over_border};
}

uint64_t TranslatedThreads::go_on(ThreadContext& own, uint64_t address, Form form, uint8_t* slot) noexcept {
    const Arrival arrival = arrive(own, address, form);
    if (arrival.piece != nullptr && slot != nullptr && !arrival.is_over_border)
        cache_.link(slot, *arrival.piece);
    return arrival.host;
}

uint64_t TranslatedThreads::jump_to_target(ThreadContext& own) noexcept {
    const Arrival arrival = arrive(own, own.target, {});
    if (arrival.piece != nullptr && !arrival.is_over_border) cache_.expect(*arrival.piece);
    return arrival.host;
}

// The instruction there was reported, and is executed now. What was armed by the report counts it.
uint64_t TranslatedThreads::go_on_behind(ThreadContext& own, uint64_t address) noexcept {
    Form form;
    form.is_behind = true;
    if (!cache_.is_counted(address)) return go_on(own, address, form);
    own.is_stepping = form.is_step = is_exact_ && own.left <= 0;
    if (!own.is_stepping) --own.left;
    return go_on(own, address, form);
}

// The thread holds what an event needs, as in the middle of fork(). The block runs, and the next one asks
// again.
uint64_t TranslatedThreads::put_off(ThreadContext& own, const Piece& piece) noexcept {
    const int64_t missing = std::max<int64_t>(int64_t{piece.instructions} - own.left, 0);
    own.granted += missing;
    own.left += missing;
    return go_on(own, piece.address, {});
}

uint64_t TranslatedThreads::spend(ThreadContext& own, const Piece& piece) noexcept {
    own.registers.rip = piece.address;
    const uint64_t size = piece.instructions;
    own.left += piece.instructions;
    if (!ovni_private_code_may_fire()) return put_off(own, piece);
    settle(own);
    if (!update(own)) return leave(own, piece.address);
    const uint64_t until = ovni_private_code_until_next();
    if (size < until && !(own.is_limited && until < most_shared)) {
        own.granted = own.left = std::max(own.left, static_cast<int64_t>(size));
        return go_on(own, piece.address, {});
    }
    if (size < until) {
        ovni_private_code_count(size);
        own.granted = own.left = 0;
        return go_on_counted(own, piece.address);
    }
    if (is_exact_) {
        // A sample begins before its first instruction.
        own.is_stepping = ovni_private_code_begins_sample() == 0;
        if (!own.is_stepping) {
            ovni_private_code_count(1);
            if (!update(own)) return leave(own, piece.address);
        }
        Form form;
        form.is_step = true;
        return go_on(own, piece.address, form);
    }
    ovni_private_code_block(size);
    if (!update(own)) return leave(own, piece.address);
    return go_on_counted(own, piece.address);
}

// The block there has been counted.
uint64_t TranslatedThreads::go_on_counted(ThreadContext& own, uint64_t address) noexcept {
    const uint64_t host = go_on(own, address, {});
    const Piece* next = cache_.find(host);
    if (!own.is_inside || next == nullptr || !next->is_block) return host;
    return reinterpret_cast<uint64_t>(next->body);
}

void TranslatedThreads::report_matches(uint64_t address) noexcept {
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    const size_t readable = std::min<uint64_t>(cache_.end_of_code(address) - address, sizeof bytes);
    memcpy(bytes, reinterpret_cast<const void*>(address), readable);
    sites_.restore(address, {bytes, readable});
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, nullptr, bytes, readable, &decoded))) return;
    match_.for_each(decoded, bytes, bytes + readable,
                    [](uint16_t alarm) { ovni_private_hit_site(&alarm, 1); });
}

uint64_t TranslatedThreads::come_to_place(ThreadContext& own, uint64_t address) noexcept {
    own.registers.rip = address;
    const bool may_fire = ovni_private_code_may_fire() != 0;
    if (may_fire) settle(own);
    const Site* site = sites_.find(address);
    if (site != nullptr) report_(*site, own.registers);
    if (own.is_matching) report_matches(address);
    if (may_fire && !update(own)) return leave(own, site != nullptr ? site->way_on() : address);
    return go_on_behind(own, address);
}

uint64_t TranslatedThreads::call_natively(ThreadContext& own) noexcept {
    Registers& registers = own.registers;
    reinterpret_cast<void (*)(void*)>(registers.rdi)(reinterpret_cast<void*>(registers.rsi));
    const uint64_t back = *reinterpret_cast<const uint64_t*>(registers.rsp);
    registers.rsp += sizeof back;
    return go_on(own, back, {});
}

uint64_t TranslatedThreads::resolve(const Request& request, ThreadContext& own) noexcept {
    using enum RequestKind;
    // An alarm that fires from here on must not enter a second time.
    own.is_inside = true;
    look_for_end_of_vfork(own);
    if (own.is_stepping) {
        own.is_stepping = false;
        own.registers.rip = request.kind == target ? own.target : request.address;
        own.granted = own.left + 1;
        if (ovni_private_code_may_fire()) {
            settle(own);
            if (!update(own)) return leave(own, own.registers.rip);
        }
    }
    switch (request.kind) {
        case jump:
            return go_on(own, request.address, {}, request.slot);
        case target:
            return jump_to_target(own);
        case spent:
            return spend(own, *cache_.find(reinterpret_cast<uint64_t>(request.slot)));
        case place:
            return come_to_place(own, request.address);
        case system_call:
            return call_system(own, request);
        case returned_zero:
            if (own.has_forked && ::syscall(SYS_gettid) != own.thread) start_over_in_child();
            return go_on(own, request.address, {});
        case native_call:
            return call_natively(own);
        case untranslated:
            // Our own ways here are such code.
            if (way_at(request.address) == Way::none)
                warn("instructions of a thread are no longer counted", request.address);
            return leave(own, request.address);
    }
    return request.address;
}

namespace {

ThreadContext& context_of_thread() noexcept {
    ThreadContext* own;
    asm volatile("mov %%gs:200, %0" : "=r"(own));
    return *own;
}

}  // namespace

}  // namespace ovni::code

using namespace ovni::code;

extern "C" uint64_t ovni_code_resolve_request(const Request* request) {
    const int saved = errno;
    ThreadContext& own = context_of_thread();
    shown_registers = &own.registers;
    const uint64_t host = threads->resolve(*request, own);
    shown_registers = nullptr;
    errno = saved;
    return host;
}
