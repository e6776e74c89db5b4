// The engine's clock is the number of instructions: icount and uniform.
#include <algorithm>

#include "region/engine.hpp"
#include "region/engine_word.hpp"

namespace ovni::region {

// Even phases of a uniform alarm await the start of a sample, odd ones its end. A sample that begins where
// the alarm is armed, or where the last sample ended, is reported at the next instruction, and that one is
// its first.
uint64_t Engine::target_of(uint16_t alarm) const noexcept {
    const Rule& rule = rules_[alarm];
    if (rule.kind != AlarmKind::uniform) return rule.target;
    uint64_t phase = phases_[alarm].load(std::memory_order_acquire);
    uint64_t gap = rule.sampling.period - rule.sampling.length;
    if (phase % 2 != 0) return rule.sampling.length;
    return phase == 0 || gap == 0 ? 1 : gap;
}

bool Engine::has_sample_begun(uint16_t alarm) const noexcept {
    const Rule& rule = rules_[alarm];
    uint64_t phase = phases_[alarm].load(std::memory_order_acquire);
    if (rule.kind != AlarmKind::uniform) return false;
    return phase == 1 || (phase % 2 != 0 && rule.sampling.period == rule.sampling.length);
}

// The alarm is disarmed here, so its phase belongs to the thread that fires. True: that was the last sample's
// end.
bool Engine::next_sample(uint16_t alarm, Event& event) noexcept {
    uint64_t phase = phases_[alarm].load(std::memory_order_acquire);
    event = phase % 2 == 0 ? Event::start : Event::stop;
    bool is_over = ++phase == 2 * rules_[alarm].sampling.samples;
    phases_[alarm].store(is_over ? 0 : phase, std::memory_order_release);
    return is_over;
}

void Engine::step(Thread thread, uint64_t count, Count how, Skipped& skipped) noexcept {
    Pending pending;
    for (uint16_t alarm : counters_)
        if (!skipped[alarm] && count_hit(alarm, thread, count)) fire(alarm, thread, pending);
    arm(pending, thread);
    for (size_t i = 0; i < pending.size; ++i) {
        uint16_t alarm = pending.next[i].alarm;
        skipped.reset(alarm);
        begin_count(thread, alarm);
        AlarmKind kind = rules_[alarm].kind;
        if (kind != AlarmKind::icount && kind != AlarmKind::uniform) continue;
        if (how == Count::blocks || has_sample_begun(alarm)) count_silently(alarm, thread, count);
    }
}

void Engine::block(Thread thread, uint64_t count) noexcept {
    Skipped none;
    if (!counters_.empty()) step(thread, count, Count::blocks, none);
}

void Engine::instructions(Thread thread, uint64_t count) noexcept {
    Skipped none;
    instructions(thread, count, none);
}

void Engine::instructions(Thread thread, uint64_t count, Skipped& skipped) noexcept {
    if (counters_.empty()) return;
    while (count > 0) {
        uint64_t until = instructions_until_next(thread, skipped);
        uint64_t silent = std::min(until - 1, count);
        if (silent > 0) step(thread, silent, Count::exact, skipped);
        count -= silent;
        if (count == 0) return;
        step(thread, 1, Count::exact, skipped);
        --count;
    }
}

uint64_t Engine::instructions_until_next(Thread thread) const noexcept {
    return instructions_until_next(thread, {});
}

uint64_t Engine::instructions_until_next(Thread thread, const Skipped& skipped) const noexcept {
    uint64_t least = largest_target;
    for (uint16_t alarm : counters_) {
        if (skipped[alarm] || !is_armed(thread, alarm)) continue;
        uint64_t target = target_of(alarm);
        uint64_t count = count_so_far(alarm, thread);
        least = std::min(least, count < target ? target - count : 1);
    }
    return least;
}

bool Engine::begins_sample(Thread thread) const noexcept {
    bool begins = false;
    for (uint16_t alarm : counters_) {
        if (!is_armed(thread, alarm) || count_so_far(alarm, thread) + 1 < target_of(alarm)) continue;
        const bool is_start = rules_[alarm].kind == AlarmKind::uniform &&
                              phases_[alarm].load(std::memory_order_acquire) % 2 == 0;
        if (!is_start) return false;
        begins = true;
    }
    return begins;
}

// Null if the thread has no slot.
Engine::Word* Engine::seen_epoch(Thread thread, uint16_t alarm) noexcept {
    if (thread.slot == Thread::no_slot) return nullptr;
    return &thread_words_[thread.slot * stride_ + rules_.size() + chains_.size() + alarm];
}

void Engine::begin_count(Thread thread, uint16_t alarm) noexcept {
    const uint64_t epoch = epoch_of(alarm_words_[alarm].load(std::memory_order_acquire));
    if (Word* seen = seen_epoch(thread, alarm)) seen->store(epoch, std::memory_order_relaxed);
}

void Engine::put_off_count(Thread thread, uint16_t alarm) noexcept {
    constexpr uint64_t no_epoch = epoch_mask + 1;
    if (Word* seen = seen_epoch(thread, alarm)) seen->store(no_epoch, std::memory_order_relaxed);
}

uint64_t Engine::begin_count(Thread thread) noexcept {
    for (uint16_t alarm : counters_) begin_count(thread, alarm);
    return instructions_until_next(thread);
}

void Engine::settle(Thread thread, uint64_t count) noexcept {
    Skipped skipped;
    for (uint16_t alarm : counters_) {
        const uint64_t epoch = epoch_of(alarm_words_[alarm].load(std::memory_order_acquire));
        const Word* seen = seen_epoch(thread, alarm);
        skipped[alarm] = seen != nullptr && epoch != seen->load(std::memory_order_relaxed);
    }
    instructions(thread, count, skipped);
}

bool Engine::shares_counts() const noexcept {
    return std::any_of(counters_.begin(), counters_.end(), [&](uint16_t alarm) {
        const Rule& rule = rules_[alarm];
        return rule.is_global || rule.is_broadcast || rule.kind == AlarmKind::uniform;
    });
}

}  // namespace ovni::region
