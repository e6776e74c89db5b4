#include "code/sites.hpp"

#include <algorithm>

#include "code/instruction_copy.hpp"
#include "code/written_code.hpp"

namespace ovni::code {

namespace {

constexpr uint8_t int3 = 0xcc;
constexpr size_t longest_instruction = 15;

}  // namespace

const Site* Sites::find(uintptr_t address) const noexcept {
    for (size_t slot = slot_of(address);; slot = (slot + 1) % slots) {
        const Entry* entry = table_[slot].load(std::memory_order_acquire);
        if (entry == nullptr) return nullptr;
        if (entry->site.address != address) continue;
        return entry->is_there.load(std::memory_order_acquire) ? &entry->site : nullptr;
    }
}

// That of an entry for the address, or an empty one.
size_t Sites::free_slot_for(uintptr_t address) const noexcept {
    size_t slot = slot_of(address);
    for (;; slot = (slot + 1) % slots) {
        const Entry* entry = table_[slot].load(std::memory_order_relaxed);
        if (entry == nullptr || entry->site.address == address) return slot;
    }
}

Sites::Planted Sites::plant(Site site) {
    if (find(site.address) != nullptr) return Planted::yes;
    if (all_.size() == most) return Planted::no_room;
    const auto* original = reinterpret_cast<const uint8_t*>(site.address);
    // An int3 that is there already is of a debugger, or the program's own.
    if (*original == int3) return Planted::not_possible;
    site.copy = memory_.take(site.address, InstructionCopy::most);
    if (site.copy == 0) return Planted::not_possible;
    const InstructionCopy copy = InstructionCopy::of(original, longest_instruction, site.address, site.copy);
    if (copy.size == 0) return Planted::not_possible;
    if (!write_code(site.copy, copy.bytes.data(), copy.size)) return Planted::refused;
    const uintptr_t address = site.address;
    auto entry = std::make_unique<Entry>();
    entry->site = std::move(site);
    table_[free_slot_for(address)].store(entry.get(), std::memory_order_release);
    all_.push_back(std::move(entry));
    if (write_code(address, &int3, sizeof int3)) return Planted::yes;
    all_.back()->is_there.store(false, std::memory_order_release);
    return Planted::refused;
}

void Sites::forget(const ElfImage& image) {
    for (const auto& entry : all_)
        if (image.holds(entry->site.address)) entry->is_there.store(false, std::memory_order_release);
}

}  // namespace ovni::code
