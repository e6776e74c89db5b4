// The engine's words: hits and instructions counted, alarms armed and disarmed. Compiled so that no more than
// general registers are used (count_quietly).
#include <algorithm>

#include "region/engine.hpp"
#include "region/engine_word.hpp"

namespace ovni::region {

namespace {

// A quarter before the next half of the epochs begins, threads' words of that half are cleared.
constexpr uint64_t half_of_epochs = 0x8000;
constexpr uint64_t quarter_of_epochs = 0x4000;

// True if by the two words the alarm is armed in the thread.
template <class Armed>
bool is_armed_by(uint64_t alarm_word, uint64_t own_word) {
    bool holds = epoch_of(alarm_word) == epoch_of(own_word);
    Armed own = holds ? armed_of<Armed>(own_word) : Armed::as_all;
    return (own == Armed::as_all ? armed_of<Armed>(alarm_word) : own) == Armed::on;
}

}  // namespace

bool Engine::is_of(const Rule& rule, Thread thread) const noexcept {
    return rule.thread == all_threads || rule.thread == thread.number;
}

Engine::Word* Engine::word_of(uint16_t alarm, Thread thread) noexcept {
    if (thread.slot == Thread::no_slot) return nullptr;
    return &thread_words_[thread.slot * stride_ + alarm];
}

const Engine::Word* Engine::word_of(uint16_t alarm, Thread thread) const noexcept {
    return const_cast<Engine*>(this)->word_of(alarm, thread);
}

bool Engine::is_armed(Thread thread, uint16_t alarm) const noexcept {
    const Rule& rule = rules_[alarm];
    if (!is_of(rule, thread)) return false;
    uint64_t word = alarm_words_[alarm].load(std::memory_order_acquire);
    if (rule.is_single()) return armed_of<Armed>(word) == Armed::on;
    const Word* own = word_of(alarm, thread);
    return own != nullptr && is_armed_by<Armed>(word, own->load(std::memory_order_acquire));
}

bool Engine::is_armed_somewhere(uint16_t alarm) const noexcept {
    constexpr uint32_t bits = 64;
    const uint64_t word = alarm_words_[alarm].load(std::memory_order_acquire);
    if (rules_[alarm].is_single()) return armed_of<Armed>(word) == Armed::on;
    for (uint32_t slot = 0; slot < slots_; ++slot) {
        const bool is_taken =
            (taken_slots_[slot / bits].load(std::memory_order_acquire) >> slot % bits & 1) != 0;
        const Word& own = thread_words_[slot * stride_ + alarm];
        if (is_taken && is_armed_by<Armed>(word, own.load(std::memory_order_acquire))) return true;
    }
    return false;
}

bool Engine::is_armed_for_new_threads(uint16_t alarm) const noexcept {
    return armed_of<Armed>(alarm_words_[alarm].load(std::memory_order_acquire)) == Armed::on;
}

bool Engine::is_armed(Thread thread, AlarmKind kind) const noexcept {
    const std::vector<uint16_t>& alarms = of_kind_[static_cast<size_t>(kind)];
    return std::any_of(alarms.begin(), alarms.end(), [&](uint16_t alarm) { return is_armed(thread, alarm); });
}

// Returns true if this hit reaches the target; the alarm is disarmed then.
bool Engine::count_hit(uint16_t alarm, Thread thread, uint64_t hits) noexcept {
    const Rule& rule = rules_[alarm];
    if (!is_of(rule, thread)) return false;
    uint64_t target = target_of(alarm);
    if (rule.is_single()) return count_alone(alarm, hits, target);
    Word* own = word_of(alarm, thread);
    return own != nullptr && count_in_thread(alarm, *own, hits, target);
}

bool Engine::count_alone(uint16_t alarm, uint64_t hits, uint64_t target) noexcept {
    uint64_t word = alarm_words_[alarm].load(std::memory_order_acquire);
    while (armed_of<Armed>(word) == Armed::on) {
        uint64_t count = count_of(word);
        if (count >= target || hits >= target - count) {
            if (change_epoch(alarm, word, Armed::off)) return true;
        } else if (alarm_words_[alarm].compare_exchange_weak(
                       word, make_word(epoch_of(word), Armed::on, count + hits), std::memory_order_acq_rel)) {
            return false;
        }
    }
    return false;
}

bool Engine::count_in_thread(uint16_t alarm, Word& own, uint64_t hits, uint64_t target) noexcept {
    for (;;) {
        uint64_t word = alarm_words_[alarm].load(std::memory_order_acquire);
        uint64_t mine = own.load(std::memory_order_acquire);
        if (!is_armed_by<Armed>(word, mine)) return false;
        bool holds = epoch_of(word) == epoch_of(mine);
        uint64_t count = holds ? count_of(mine) : 0;
        if (count < target && hits < target - count) {
            Armed armed = holds ? armed_of<Armed>(mine) : Armed::as_all;
            if (own.compare_exchange_weak(mine, make_word(epoch_of(word), armed, count + hits),
                                          std::memory_order_acq_rel))
                return false;
        } else if (rules_[alarm].is_broadcast) {
            if (change_epoch(alarm, word, Armed::off)) return true;
        } else if (own.compare_exchange_weak(mine, make_word(epoch_of(word), Armed::off, 0),
                                             std::memory_order_acq_rel)) {
            return true;
        }
    }
}

Engine::Quiet Engine::count_quietly(Thread thread, std::span<const uint16_t> alarms) noexcept {
    const uint16_t* armed = nullptr;
    for (const uint16_t& alarm : alarms) {
        if (!is_armed(thread, alarm)) continue;
        if (armed != nullptr) return Quiet::may_fire;
        armed = &alarm;
    }
    if (armed == nullptr) return Quiet::idle;
    return count_below_target(*armed, thread) ? Quiet::counted : Quiet::may_fire;
}

// For an armed alarm of sites. False if the hit reaches the target, or another one comes in between.
bool Engine::count_below_target(uint16_t alarm, Thread thread) noexcept {
    const Rule& rule = rules_[alarm];
    const uint64_t word = alarm_words_[alarm].load(std::memory_order_acquire);
    Word& counted = rule.is_single() ? alarm_words_[alarm] : *word_of(alarm, thread);
    uint64_t mine = rule.is_single() ? word : counted.load(std::memory_order_acquire);
    const bool holds = epoch_of(word) == epoch_of(mine);
    const uint64_t count = (holds ? count_of(mine) : 0) + 1;
    const Armed armed = holds ? armed_of<Armed>(mine) : Armed::as_all;
    return count < rule.target &&
           counted.compare_exchange_strong(mine, make_word(epoch_of(word), armed, count),
                                           std::memory_order_acq_rel);
}

// Counts without firing: a count beyond the target fires at the next hit.
void Engine::count_silently(uint16_t alarm, Thread thread, uint64_t hits) noexcept {
    bool is_single = rules_[alarm].is_single();
    Word* counted = is_single ? &alarm_words_[alarm] : word_of(alarm, thread);
    while (counted != nullptr && is_armed(thread, alarm)) {
        uint64_t word = alarm_words_[alarm].load(std::memory_order_acquire);
        uint64_t mine = is_single ? word : counted->load(std::memory_order_acquire);
        bool holds = epoch_of(word) == epoch_of(mine);
        uint64_t count = holds ? count_of(mine) : 0;
        Armed armed = holds ? armed_of<Armed>(mine) : Armed::as_all;
        uint64_t sum = count + std::min(hits, largest_target - count);
        if (counted->compare_exchange_weak(mine, make_word(epoch_of(word), armed, sum),
                                           std::memory_order_acq_rel))
            return;
    }
}

uint64_t Engine::count_so_far(uint16_t alarm, Thread thread) const noexcept {
    uint64_t word = alarm_words_[alarm].load(std::memory_order_acquire);
    if (rules_[alarm].is_single()) return count_of(word);
    uint64_t mine = word_of(alarm, thread)->load(std::memory_order_acquire);
    return epoch_of(word) == epoch_of(mine) ? count_of(mine) : 0;
}

// Changes the alarm's word if it is `expected`; else returns false with the current word in `expected`.
bool Engine::change_epoch(uint16_t alarm, uint64_t& expected, Armed armed) noexcept {
    uint64_t epoch = (epoch_of(expected) + 1) & epoch_mask;
    if (!alarm_words_[alarm].compare_exchange_strong(expected, make_word(epoch, armed, 0),
                                                     std::memory_order_acq_rel))
        return false;
    if (epoch % half_of_epochs == quarter_of_epochs) forget_old_epochs(alarm, epoch);
    return true;
}

void Engine::forget_old_epochs(uint16_t alarm, uint64_t epoch) noexcept {
    uint64_t next_half = (epoch + half_of_epochs) / half_of_epochs % 2;
    for (uint32_t slot = 0; slot < slots_; ++slot) {
        Word& own = thread_words_[slot * stride_ + alarm];
        uint64_t word = own.load(std::memory_order_acquire);
        if (epoch_of(word) / half_of_epochs == next_half)
            own.compare_exchange_strong(word, 0, std::memory_order_acq_rel);
    }
}

}  // namespace ovni::region
