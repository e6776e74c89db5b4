#include "region/engine.hpp"

#include <bit>

#include "region/engine_word.hpp"

namespace ovni::region {

namespace {

constexpr size_t words_of_a_line = 8;
constexpr uint32_t bits_of_a_word = 64;

bool is_counter(AlarmKind kind) {
    return kind == AlarmKind::icount || kind == AlarmKind::uniform;
}

// Slots lie a line apart, so that threads do not write to one line.
size_t line_of_words(size_t words) {
    return (words + words_of_a_line - 1) / words_of_a_line * words_of_a_line + words_of_a_line;
}

}  // namespace

Engine::Engine(const Plan& plan, const Settings& settings) noexcept
    : hooks_(settings.hooks),
      fires_default_start_(plan.begins_recording(settings.default_start)),
      slots_(settings.threads) {
    lay_out(plan);
    alarm_words_ = std::vector<Word>(rules_.size());
    phases_ = std::vector<Word>(rules_.size());
    chain_runs_ = std::vector<Word>(chains_.size());
    stride_ = line_of_words(2 * rules_.size() + chains_.size());
    thread_words_ = std::vector<Word>(stride_ * slots_);
    taken_slots_ = std::vector<Word>((slots_ + bits_of_a_word - 1) / bits_of_a_word);
    for (size_t i = 0; i < plan.chains.size(); ++i)
        if (plan.chains[i].waits_for.empty()) arm(chains_[i].first, Reach::all, {});
}

void Engine::lay_out(const Plan& plan) noexcept {
    for (size_t i = 0; i < plan.chains.size(); ++i) {
        const Chain& chain = plan.chains[i];
        chains_.push_back({static_cast<uint16_t>(rules_.size()), chain.repeat, {}});
        for (const Alarm& alarm : chain.alarms) {
            auto number = static_cast<uint16_t>(rules_.size());
            size_t kind = static_cast<size_t>(alarm.kind);
            uint64_t each = alarm.kind == AlarmKind::icount ? alarm.value : 1;
            rules_.push_back({alarm.value, each * alarm.count, alarm.text, alarm.detail, alarm.sampling,
                              alarm.thread.value_or(all_threads), static_cast<uint16_t>(i), alarm.kind,
                              alarm.event, alarm.detail_rule, alarm.is_broadcast, alarm.is_global, false});
            of_kind_[kind].push_back(number);
            awaited_[kind] |= uint64_t{1} << bucket(alarm.value);
            if (is_counter(alarm.kind)) counters_.push_back(number);
        }
        rules_.back().is_last = true;
    }
    for (size_t i = 0; i < plan.waiters.size(); ++i)
        for (size_t waiter : plan.waiters[i]) chains_[i].waiters.push_back(static_cast<uint16_t>(waiter));
}

uint32_t Engine::take_slot() noexcept {
    for (uint32_t i = 0; i < taken_slots_.size(); ++i) {
        uint64_t taken = taken_slots_[i].load(std::memory_order_relaxed);
        while (~taken != 0) {
            auto bit = static_cast<uint32_t>(std::countr_one(taken));
            if (i * bits_of_a_word + bit >= slots_) break;
            if (taken_slots_[i].compare_exchange_weak(taken, taken | uint64_t{1} << bit,
                                                      std::memory_order_acquire))
                return i * bits_of_a_word + bit;
        }
    }
    return Thread::no_slot;
}

Thread Engine::attach(uint32_t number) noexcept {
    Thread thread{number, take_slot()};
    if (thread.slot == Thread::no_slot) threads_without_slot_.fetch_add(1, std::memory_order_relaxed);
    if (fires_default_start_ && hooks_.fired != nullptr)
        hooks_.fired(hooks_.context, {Event::start, number, false, no_alarm});
    return thread;
}

void Engine::detach(Thread thread) noexcept {
    if (thread.slot == Thread::no_slot) return;
    for (size_t i = 0; i < stride_; ++i)
        thread_words_[thread.slot * stride_ + i].store(0, std::memory_order_relaxed);
    taken_slots_[thread.slot / bits_of_a_word].fetch_and(~(uint64_t{1} << thread.slot % bits_of_a_word),
                                                         std::memory_order_release);
}

void Engine::start_over_in_child(Thread only) noexcept {
    for (uint32_t slot = 0; slot < slots_; ++slot)
        if (slot != only.slot) detach({0, slot});
}

bool Engine::allows(const Rule& rule, int64_t detail) noexcept {
    switch (rule.detail_rule) {
        case DetailRule::any:
            return true;
        case DetailRule::equal:
            return detail == rule.detail;
        case DetailRule::at_least:
            return detail >= rule.detail;
        case DetailRule::neither_0_nor_2:
            return detail != 0 && detail != 2;
    }
    return false;
}

void Engine::report(Thread thread, AlarmKind kind, uint64_t value, std::string_view text,
                    int64_t detail) noexcept {
    Pending pending;
    for (uint16_t alarm : of_kind_[static_cast<size_t>(kind)]) {
        const Rule& rule = rules_[alarm];
        if (rule.value != value || !allows(rule, detail)) continue;
        if (!text.empty() && text != rule.text) continue;
        if (count_hit(alarm, thread, 1)) fire(alarm, thread, pending);
    }
    arm(pending, thread);
}

void Engine::hit(Thread thread, std::span<const uint16_t> alarms) noexcept {
    Pending pending;
    for (uint16_t alarm : alarms)
        if (count_hit(alarm, thread, 1)) fire(alarm, thread, pending);
    arm(pending, thread);
}

void Engine::fire(uint16_t alarm, Thread thread, Pending& pending) noexcept {
    const Rule& rule = rules_[alarm];
    Event event = rule.event;
    bool is_over = rule.kind != AlarmKind::uniform || next_sample(alarm, event);
    if (event != Event::precondition && hooks_.fired != nullptr)
        hooks_.fired(hooks_.context, {event, thread.number, rule.is_broadcast, alarm});
    if (!is_over)
        pending.add(alarm, Reach::all);
    else if (rule.is_last)
        end_chain(rule, thread, pending);
    else
        pending.add(alarm + 1, rule.is_broadcast ? Reach::all : Reach::own_thread);
}

// If the last alarm of a chain is for one thread, only that thread can end the chain.
void Engine::end_chain(const Rule& rule, Thread thread, Pending& pending) noexcept {
    const ChainRule& chain = chains_[rule.chain];
    bool is_for_all = rule.is_broadcast || rule.is_global;
    Word* runs = &chain_runs_[rule.chain];
    if (!is_for_all && !rule.is_single())
        runs = &thread_words_[thread.slot * stride_ + rules_.size() + rule.chain];
    uint64_t run = runs->fetch_add(1, std::memory_order_relaxed) + 1;
    if (chain.repeat == endless || run < chain.repeat)
        return pending.add(chain.first, rule.is_broadcast ? Reach::all : Reach::own_thread);
    for (uint16_t waiter : chain.waiters)
        pending.add(chains_[waiter].first, is_for_all ? Reach::all : Reach::own_thread);
}

void Engine::arm(const Pending& pending, Thread thread) noexcept {
    for (size_t i = 0; i < pending.size; ++i) arm(pending.next[i].alarm, pending.next[i].reach, thread);
}

void Engine::arm(uint16_t alarm, Reach reach, Thread thread) noexcept {
    const Rule& rule = rules_[alarm];
    if (rule.is_single() || reach == Reach::all) {
        arm_all(alarm);
    } else if (Word* own = word_of(alarm, thread)) {
        uint64_t epoch = epoch_of(alarm_words_[alarm].load(std::memory_order_acquire));
        own->store(make_word(epoch, Armed::on, 0), std::memory_order_release);
        put_off_count(thread, alarm);
    } else {
        return;
    }
    if (hooks_.armed == nullptr) return;
    uint32_t whom = reach == Reach::all || rule.is_global ? all_threads : thread.number;
    hooks_.armed(hooks_.context, alarm, rule.thread != all_threads ? rule.thread : whom);
}

void Engine::arm_all(uint16_t alarm) noexcept {
    uint64_t word = alarm_words_[alarm].load(std::memory_order_acquire);
    while (!change_epoch(alarm, word, Armed::on)) {
    }
}

}  // namespace ovni::region
