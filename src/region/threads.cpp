#include "region/threads.hpp"

#include <pthread.h>

#include <ctime>

namespace ovni::region {

namespace {

// Not a thread-local variable: programs have little room for these, and few give a place.
pthread_key_t place_key;
bool has_key = false;

[[gnu::constructor]] void make_key_for_places() {
    has_key = pthread_key_create(&place_key, nullptr) == 0;
}

const void* place_of_program() {
    return has_key ? pthread_getspecific(place_key) : nullptr;
}

}  // namespace

FiredAt fired_at() noexcept {
    if (const void* given = place_of_program()) return *static_cast<const FiredAt*>(given);
    const RegistersFunction function = registers_function.load(std::memory_order_acquire);
    const ::ovni_control_registers* registers = function == nullptr ? nullptr : function();
    return {registers, registers == nullptr ? 0 : registers->rip};
}

FiringAt::FiringAt() noexcept : outer_(place_of_program()) {
    if (has_key) pthread_setspecific(place_key, nullptr);
}

FiringAt::FiringAt(const FiredAt& at) noexcept : at_(at), outer_(place_of_program()) {
    if (has_key) pthread_setspecific(place_key, &at_);
}

FiringAt::~FiringAt() {
    if (has_key) pthread_setspecific(place_key, outer_);
}

ThreadTable::Use::~Use() {
    if (table_ != nullptr) table_->entries_[slot_].users.fetch_sub(1, std::memory_order_release);
}

Thread ThreadTable::Use::thread() const noexcept {
    return {table_->entries_[slot_].number.load(std::memory_order_relaxed), slot_};
}

writer::Stream* ThreadTable::Use::stream() const noexcept {
    return table_->entries_[slot_].stream.load(std::memory_order_relaxed);
}

void ThreadTable::add(Thread thread, writer::Stream* stream) noexcept {
    if (thread.slot >= most) return;
    writer::Lock lock(mutex_);
    Entry& entry = entries_[thread.slot];
    entry.number.store(thread.number, std::memory_order_relaxed);
    entry.stream.store(stream, std::memory_order_relaxed);
    entry.is_there.store(true, std::memory_order_relaxed);
}

void ThreadTable::set_stream(Thread thread, writer::Stream* stream) noexcept {
    if (thread.slot < most) entries_[thread.slot].stream.store(stream, std::memory_order_relaxed);
}

void ThreadTable::remove(Thread thread) noexcept {
    if (thread.slot >= most) return;
    Entry& entry = entries_[thread.slot];
    {
        writer::Lock lock(mutex_);
        entry.is_there.store(false, std::memory_order_relaxed);
    }
    await_users(entry);
}

void ThreadTable::await_users(const Entry& entry) noexcept {
    constexpr timespec moment{0, 100'000};
    while (entry.users.load(std::memory_order_acquire) != 0) nanosleep(&moment, nullptr);
}

void ThreadTable::forget_stream(Thread thread) noexcept {
    if (thread.slot >= most) return;
    Entry& entry = entries_[thread.slot];
    {
        writer::Lock lock(mutex_);
        entry.stream.store(nullptr, std::memory_order_relaxed);
    }
    await_users(entry);
}

ThreadTable::Use ThreadTable::find(uint32_t number) noexcept {
    Use found = next_from(number);
    if (found && found.thread().number == number) return found;
    return {};
}

ThreadTable::Use ThreadTable::next_from(uint32_t least) noexcept {
    writer::Lock lock(mutex_);
    uint32_t best = most;
    uint32_t best_number = 0;
    for (uint32_t slot = 0; slot < most; ++slot) {
        const Entry& entry = entries_[slot];
        uint32_t number = entry.number.load(std::memory_order_relaxed);
        if (!entry.is_there.load(std::memory_order_relaxed) || number < least) continue;
        if (best == most || number < best_number) best = slot, best_number = number;
    }
    if (best == most) return {};
    entries_[best].users.fetch_add(1, std::memory_order_relaxed);
    return {*this, best};
}

void ThreadTable::start_over_in_child(Thread thread) noexcept {
    mutex_.forget();
    for (Entry& entry : entries_) {
        entry.is_there.store(false, std::memory_order_relaxed);
        entry.users.store(0, std::memory_order_relaxed);
    }
    if (thread.slot >= most) return;
    entries_[thread.slot].number.store(0, std::memory_order_relaxed);
    entries_[thread.slot].stream.store(nullptr, std::memory_order_relaxed);
    entries_[thread.slot].is_there.store(true, std::memory_order_relaxed);
}

}  // namespace ovni::region
