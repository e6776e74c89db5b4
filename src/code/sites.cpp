#include "code/sites.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "code/instruction_copy.hpp"
#include "code/written_code.hpp"

namespace ovni::code {

namespace {

constexpr uint8_t int3 = 0xcc;
constexpr size_t longest_instruction = 15;

}  // namespace

Sites::Sites() {
    void* room = ::mmap(nullptr, most * sizeof(Entry), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    all_ = room == MAP_FAILED ? nullptr : static_cast<Entry*>(room);
}

const Site* Sites::find(uintptr_t address) const noexcept {
    for (size_t slot = slot_of(address);; slot = (slot + 1) % slots) {
        const Entry* entry = table_[slot].load(std::memory_order_acquire);
        if (entry == nullptr) return nullptr;
        if (entry->site.address != address) continue;
        return entry->is_there.load(std::memory_order_acquire) ? &entry->site : nullptr;
    }
}

// That of the entry for the address, or an empty one.
size_t Sites::slot_for(uintptr_t address) const noexcept {
    size_t slot = slot_of(address);
    for (;; slot = (slot + 1) % slots) {
        const Entry* entry = table_[slot].load(std::memory_order_relaxed);
        if (entry == nullptr || entry->site.address == address) return slot;
    }
}

// The thread that held the lock may be gone: a child of fork() has only one thread.
bool Sites::take_lock() noexcept {
    constexpr int most_tries = 1 << 24;
    for (int tries = 0; lock_.test_and_set(std::memory_order_acquire); ++tries)
        if (tries == most_tries) return false;
    return true;
}

Sites::Planted Sites::plant(Site site) noexcept {
    if (!take_lock()) return Planted::not_possible;
    const Planted planted = plant_locked(site);
    lock_.clear(std::memory_order_release);
    return planted;
}

Sites::Planted Sites::plant_locked(Site& site) noexcept {
    if (find(site.address) != nullptr) {
        Entry& known = *table_[slot_for(site.address)].load(std::memory_order_relaxed);
        known.is_kept = known.is_kept || site.alarms.empty();
        known.is_lifted = known.is_lifted && !known.is_kept;
        write_locked(known);
        return Planted::was_there;
    }
    if (all_ == nullptr || count_ == most) return Planted::no_room;
    const auto* original = reinterpret_cast<const uint8_t*>(site.address);
    // An int3 that is there already is of a debugger, or the program's own.
    if (*original == int3) return Planted::not_possible;
    site.first_byte = *original;
    site.copy = memory_.take(site.address, InstructionCopy::most);
    if (site.copy == 0) return Planted::not_possible;
    const InstructionCopy copy = InstructionCopy::of(original, longest_instruction, site.address, site.copy);
    if (copy.size == 0) return Planted::not_possible;
    if (!write_code(site.copy, copy.bytes.data(), copy.size)) return Planted::refused;
    Entry* entry = new (&all_[count_++]) Entry{site, true, false, false, true};
    table_[slot_for(site.address)].store(entry, std::memory_order_release);
    if (write_code(site.address, &int3, sizeof int3)) {
        write_locked(*entry);
        return Planted::yes;
    }
    entry->is_there.store(false, std::memory_order_release);
    return Planted::refused;
}

void Sites::write_locked(Entry& entry) noexcept {
    const bool wants_int3 = !entry.is_lifted && !(resting_ > 0 && entry.site.is_in_c_library);
    if (!entry.is_there.load() || entry.has_int3 == wants_int3) return;
    entry.has_int3 = wants_int3;
    write_code(entry.site.address, wants_int3 ? &int3 : &entry.site.first_byte, sizeof int3);
}

void Sites::write(const Site& site, bool is_lifted) noexcept {
    if (!take_lock()) return;
    Entry& entry = *table_[slot_for(site.address)].load(std::memory_order_relaxed);
    // The place may have got another site since.
    if (&entry.site == &site) {
        entry.is_lifted = is_lifted && !entry.is_kept;
        write_locked(entry);
    }
    lock_.clear(std::memory_order_release);
}

void Sites::rest_in_c_library(bool begins) noexcept {
    if (!take_lock()) return;
    resting_ += begins ? 1 : -1;
    for (size_t i = 0; i < count_; ++i) write_locked(all_[i]);
    lock_.clear(std::memory_order_release);
}

void Sites::lift(const Site& site) noexcept {
    write(site, true);
}

void Sites::put_back(const Site& site) noexcept {
    write(site, false);
}

void Sites::put_back(uint16_t alarm) noexcept {
    if (!take_lock()) return;
    for (size_t i = 0; i < count_; ++i)
        if (std::ranges::find(all_[i].site.alarms, alarm) != all_[i].site.alarms.end()) {
            all_[i].is_lifted = false;
            write_locked(all_[i]);
        }
    lock_.clear(std::memory_order_release);
}

void Sites::forget(const ElfImage& image) noexcept {
    for (size_t i = 0; i < count_; ++i)
        if (image.holds(all_[i].site.address)) all_[i].is_there.store(false, std::memory_order_release);
}

}  // namespace ovni::code
