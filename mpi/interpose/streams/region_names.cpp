#include "mpi/interpose/streams/region_names.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "core/label_hash.hpp"
#include "mpi/interpose/base/report.hpp"
#include "mpi/interpose/base/spin_lock.hpp"

namespace ovni::mpi {

namespace {

Report same_value{"region '%s' has the value of another one and is shown as 'other'"};
Report no_room{"there are too many regions: '%s' and further ones are shown as 'other'"};

// Linear probing; number 0 is kept for `other`, and a quarter stays free so that searches are short.
struct Slot {
    std::atomic<int32_t> value{0};  // 0: free; set last
    char* name = nullptr;
};
Slot slots[region_names];
std::atomic<uint32_t> used{0};
SpinLock adding;

// The slot of the value, or the free slot that it would get.
RegionNumber slot_of(int32_t value) noexcept {
    uint32_t at = static_cast<uint32_t>(value) % (region_names - 1);
    for (;; at = (at + 1) % (region_names - 1)) {
        int32_t there = slots[at + 1].value.load(std::memory_order_acquire);
        if (there == 0 || there == value) return static_cast<RegionNumber>(at + 1);
    }
}

RegionNumber if_same(RegionNumber number, std::string_view name) noexcept {
    if (name == slots[number].name) return number;
    same_value.once(name.data());
    return other_region;
}

bool fill(Slot& slot, int32_t value, std::string_view name) noexcept {
    if (used >= region_names / 4 * 3) return false;
    slot.name = static_cast<char*>(malloc(name.size() + 1));
    if (!slot.name) return false;
    memcpy(slot.name, name.data(), name.size());
    slot.name[name.size()] = '\0';
    slot.value.store(value, std::memory_order_release);
    ++used;
    return true;
}

}  // namespace

RegionNumber known_region(std::string_view name) noexcept {
    RegionNumber number = slot_of(static_cast<int32_t>(label_value(name)));
    if (slots[number].value.load(std::memory_order_acquire) == 0)
        return used >= region_names / 4 * 3 ? other_region : unknown_region;
    return if_same(number, name);
}

RegionNumber region_number(std::string_view name) noexcept {
    auto value = static_cast<int32_t>(label_value(name));
    RegionNumber number = slot_of(value);
    if (slots[number].value.load(std::memory_order_acquire) != 0) return if_same(number, name);
    SpinLock::Guard guard(adding);
    number = slot_of(value);
    if (slots[number].value.load(std::memory_order_acquire) != 0) return if_same(number, name);
    if (fill(slots[number], value, name)) return number;
    no_room.once(name.data());
    return other_region;
}

int32_t region_value(RegionNumber number) noexcept {
    return number == other_region ? 1 : slots[number].value.load(std::memory_order_acquire);
}

const char* region_name(RegionNumber number) noexcept {
    return number == other_region ? "other" : slots[number].name;
}

}  // namespace ovni::mpi
