#include "code/sites.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "code/instruction_copy.hpp"
#include "code/instruction_form.hpp"
#include "code/written_code.hpp"

namespace ovni::code {

namespace {

constexpr size_t longest_instruction = 15;
// A jump costs some traps to make, and is no gain where threads come to its inside.
constexpr uint32_t traps_before_jump = 64, most_traps_inside = 1000;

template <class Element>
Element* room_for(size_t count) {
    void* room = ::mmap(nullptr, count * sizeof(Element), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED ? nullptr : static_cast<Element*>(room);
}

}  // namespace

Sites::Sites() : all_(room_for<Entry>(most)), all_patches_(room_for<JumpPatch>(most)) {}

// Null if there is no site.
Sites::Entry* Sites::entry_at(uintptr_t address) const noexcept {
    for (size_t slot = slot_of(address);; slot = (slot + 1) % slots) {
        Entry* entry = table_[slot].load(std::memory_order_acquire);
        if (entry == nullptr) return nullptr;
        if (entry->site.address != address) continue;
        return entry->is_there.load(std::memory_order_acquire) ? entry : nullptr;
    }
}

const Site* Sites::find(uintptr_t address) const noexcept {
    const Entry* entry = entry_at(address);
    return entry == nullptr ? nullptr : &entry->site;
}

// The site whose jump has the address inside, at the begin of an instruction; null if there is none.
Sites::Entry* Sites::entry_around(uintptr_t address) const noexcept {
    if (patch_count_.load(std::memory_order_acquire) == 0) return nullptr;
    for (size_t byte = 1; byte < JumpPatch::bytes; ++byte) {
        Entry* entry = entry_at(address - byte);
        const JumpPatch* patch = entry == nullptr ? nullptr : entry->patch.load(std::memory_order_acquire);
        if (patch != nullptr && patch->begins_at(byte)) return entry;
    }
    return nullptr;
}

bool Sites::has_site_inside(uintptr_t address) const noexcept {
    for (size_t byte = 1; byte < JumpPatch::bytes; ++byte)
        if (entry_at(address + byte) != nullptr) return true;
    return false;
}

void Sites::restore(uintptr_t address, std::span<uint8_t> bytes) const noexcept {
    const Entry* entry = entry_at(address);
    if (entry != nullptr && !bytes.empty()) bytes[0] = entry->site.first_byte;
    if (entry == nullptr) entry = entry_around(address);
    const JumpPatch* patch = entry == nullptr ? nullptr : entry->patch.load(std::memory_order_acquire);
    if (patch == nullptr) return;
    for (size_t byte = address - entry->site.address; byte < JumpPatch::bytes; ++byte) {
        const size_t place = entry->site.address + byte - address;
        if (place < bytes.size()) bytes[place] = patch->original[byte];
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

// A thread that is in the middle of a system call under the lock may take a while.
bool Sites::take_lock() noexcept {
    constexpr int most_tries = 1 << 24;
    for (int tries = 0; lock_.test_and_set(std::memory_order_acquire); ++tries)
        if (tries == most_tries) return false;
    return true;
}

// The thread that held the lock is gone, and does not end what it was changing.
void Sites::start_over_in_child() noexcept {
    for (size_t i = 0; i < count_; ++i)
        if (all_[i].is_changing) keep_trap(all_[i]);
    give_lock();
}

// An int3 is right whatever the bytes behind it are: threads that come to these go on in copies.
void Sites::keep_trap(Entry& entry) noexcept {
    write_code(entry.site.address, &int3_byte, 1);
    entry.is_kept = entry.is_broken = true;
    entry.is_lifted = entry.may_jump = entry.wants_jump = entry.is_changing = false;
    entry.form = Form::int3;
}

Sites::Planted Sites::plant(Site site, Code code) noexcept {
    if (!take_lock()) return Planted::not_possible;
    const Planted planted = plant_locked(site);
    if (planted == Planted::yes && site.is_function && code == Code::does_not_run)
        jump_at_once(*entry_at(site.address));
    give_lock();
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
    // Threads may be at the jump.
    if (Entry* around = entry_around(site.address)) {
        around->may_jump = around->wants_jump = false;
        write_locked(*around);
    }
    // An int3 that is there already is of a debugger, or the program's own.
    if (*original == int3_byte) return Planted::not_possible;
    site.first_byte = *original;
    site.copy = memory_.take(site.address, InstructionCopy::most);
    if (site.copy == 0) return Planted::not_possible;
    const InstructionCopy copy = InstructionCopy::of(original, longest_instruction, site.address, site.copy);
    if (copy.size == 0) return Planted::not_possible;
    if (!write_code(site.copy, copy.bytes.data(), copy.size)) return Planted::refused;
    Entry* entry = new (&all_[count_++]) Entry{.site = site, .is_there = true};
    table_[slot_for(site.address)].store(entry, std::memory_order_release);
    if (write_code(site.address, &int3_byte, sizeof int3_byte)) {
        write_locked(*entry);
        return Planted::yes;
    }
    entry->is_there.store(false, std::memory_order_release);
    return Planted::refused;
}

void Sites::write_locked(Entry& entry) noexcept {
    const bool is_resting = resting_ > 0 && entry.site.is_in_c_library && !entry.is_broken;
    const bool is_away = entry.is_lifted || is_resting;
    const Form wanted = is_away ? Form::original : entry.wants_jump ? Form::jump : Form::int3;
    if (!entry.is_there.load() || entry.form == wanted) return;
    entry.is_changing = entry.form == Form::jump || wanted == Form::jump;
    if (entry.form == Form::jump && !remove_jump(entry)) return keep_trap(entry);
    if (wanted == Form::original)
        write_code(entry.site.address, &entry.site.first_byte, 1);
    else if (entry.form == Form::original)
        write_code(entry.site.address, &int3_byte, 1);
    if (wanted == Form::jump && !write_jump(entry)) return keep_trap(entry);
    entry.form = wanted;
    entry.is_changing = false;
}

// An int3 is there. Threads may be at any instruction of the code, so each of them becomes an int3 before its
// other bytes change.
bool Sites::write_jump(const Entry& entry) noexcept {
    const JumpPatch& patch = *entry.patch.load(std::memory_order_relaxed);
    const CodeWriter writer;
    return write_inside(writer, entry, patch.jump, true) && write_inside(writer, entry, patch.jump, false) &&
           writer.write(entry.site.address, patch.jump.data(), 1);
}

// An int3 stays, and instructions begin again when their other bytes are there.
bool Sites::remove_jump(const Entry& entry) noexcept {
    const JumpPatch& patch = *entry.patch.load(std::memory_order_relaxed);
    const CodeWriter writer;
    if (!writer.write(entry.site.address, &int3_byte, 1)) return false;
    synchronize_code();
    return write_inside(writer, entry, patch.original, false) &&
           write_inside(writer, entry, patch.original, true);
}

// The bytes behind the first one, at which instructions begin, or the others.
bool Sites::write_inside(const CodeWriter& writer, const Entry& entry,
                         const std::array<uint8_t, JumpPatch::bytes>& bytes, bool begins) noexcept {
    const JumpPatch& patch = *entry.patch.load(std::memory_order_relaxed);
    for (size_t byte = 1; byte < JumpPatch::bytes; ++byte)
        if (patch.begins_at(byte) == begins && !writer.write(entry.site.address + byte, &bytes[byte], 1))
            return false;
    synchronize_code();
    return true;
}

void Sites::count_trap(const Site& site) noexcept {
    Entry* entry = entry_at(site.address);
    // Again later if it could not be done.
    if (entry == nullptr ||
        (entry->traps.fetch_add(1, std::memory_order_relaxed) + 1) % traps_before_jump != 0)
        return;
    if (!take_lock()) return;
    promote_locked(*entry);
    give_lock();
}

bool Sites::prepare_jump(Entry& entry) noexcept {
    if (!entry.may_jump || entry.site.stays_trap || entry.wants_jump || entry.form != Form::int3)
        return false;
    const uintptr_t address = entry.site.address;
    entry.may_jump = !has_site_inside(address) && entry_around(address) == nullptr;
    const JumpPatch* patch = entry.patch.load(std::memory_order_relaxed);
    if (entry.may_jump && patch == nullptr) patch = make_patch(entry.site);
    entry.may_jump = entry.may_jump && patch != nullptr;
    if (!entry.may_jump) return false;
    entry.patch.store(patch, std::memory_order_release);
    std::atomic_ref(entry.site.copy).store(patch->copies[0], std::memory_order_release);
    return true;
}

void Sites::promote_locked(Entry& entry) noexcept {
    if (!can_synchronize_code() || !prepare_jump(entry)) return;
    entry.wants_jump = true;
    write_locked(entry);
}

// Not for places at which other threads may be.
void Sites::jump_at_once(Entry& entry) noexcept {
    if (!can_synchronize_code() || !prepare_jump(entry)) return;
    const JumpPatch& patch = *entry.patch.load(std::memory_order_relaxed);
    if (!write_code(entry.site.address, patch.jump.data(), patch.jump.size())) return;
    entry.wants_jump = true;
    entry.form = Form::jump;
}

const JumpPatch* Sites::make_patch(const Site& site) noexcept {
    const size_t number = patch_count_.load(std::memory_order_relaxed);
    if (all_patches_ == nullptr || number == most) return nullptr;
    // The next page may hold no code.
    std::array<uint8_t, JumpPatch::bytes + longest_instruction> code;
    const size_t readable = std::min(code.size(), page_bytes() - site.address % page_bytes());
    memcpy(code.data(), reinterpret_cast<const void*>(site.address), readable);
    code[0] = site.first_byte;
    JumpPatch& patch = *new (&all_patches_[number]) JumpPatch;
    if (!patches_.make(site, {code.data(), readable}, patch)) return nullptr;
    patch_count_.store(number + 1, std::memory_order_release);
    return &patch;
}

uintptr_t Sites::way_on_inside(uintptr_t address) noexcept {
    Entry* entry = entry_around(address);
    if (entry == nullptr) return 0;
    if (entry->traps_inside.fetch_add(1, std::memory_order_relaxed) + 1 == most_traps_inside && take_lock()) {
        entry->may_jump = entry->wants_jump = false;
        write_locked(*entry);
        give_lock();
    }
    return entry->patch.load(std::memory_order_acquire)->copies[address - entry->site.address];
}

void Sites::lift_if(const Site& site, bool (*is_idle)(const Site& site)) noexcept {
    if (!take_lock()) return;
    Entry& entry = *table_[slot_for(site.address)].load(std::memory_order_relaxed);
    // The place may have got another site since.
    if (&entry.site == &site && !entry.is_kept && is_idle(site)) {
        entry.is_lifted = true;
        entry.wants_jump = false;
        entry.traps.store(0, std::memory_order_relaxed);
        write_locked(entry);
    }
    give_lock();
}

void Sites::rest_in_c_library(bool begins) noexcept {
    if (!take_lock()) return;
    resting_ += begins ? 1 : -1;
    for (size_t i = 0; i < count_; ++i) write_locked(all_[i]);
    give_lock();
}

void Sites::put_back(uint16_t alarm) noexcept {
    if (!take_lock()) return;
    for (size_t i = 0; i < count_; ++i)
        if (std::ranges::find(all_[i].site.alarms, alarm) != all_[i].site.alarms.end()) {
            all_[i].is_lifted = false;
            write_locked(all_[i]);
        }
    give_lock();
}

void Sites::forget(const ElfImage& image) noexcept {
    for (size_t i = 0; i < count_; ++i)
        if (image.holds(all_[i].site.address)) all_[i].is_there.store(false, std::memory_order_release);
}

}  // namespace ovni::code
