// Places in the program's code that tell when they are executed: an int3 stands in place of the first byte,
// and a copy of the instruction, which the handler of the trap goes on with, lies nearby. No thread has to be
// stopped, and no thread gets past a site unseen.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "code/elf_image.hpp"
#include "code/near_memory.hpp"

namespace ovni::code {

// The mark that an instruction sets when it is executed.
enum class Marker : uint8_t { none, ssc, magic, cpuid };

struct Site {
    uintptr_t address = 0;
    std::span<const uint16_t> alarms;  // those of its address, ascending
    std::span<const uint16_t> exits;   // those of the end of the function that begins here
    Marker marker = Marker::none;
    uint32_t immediate = 0;  // of an ssc marker
    uintptr_t copy = 0;
    uint8_t first_byte = 0;
    bool is_function = false;
    bool is_in_c_library = false;
};

// Needs no memory of the C library, so sites may be planted while the program is inside of it.
class Sites {
 public:
    static constexpr size_t most = size_t{1} << 16;
    enum class Planted : uint8_t { yes, was_there, not_possible, no_room, refused };

    Sites();
    // Threads may run the code meanwhile; call synchronize_code() afterwards. A place that is a site already
    // stays what it is. A known site is not lifted any more if the new one has no alarms. The alarms must
    // live as long as the process.
    Planted plant(Site site) noexcept;
    // Takes the int3 of a site away, for threads that come there from now on, or puts it back. The site stays
    // known, because a thread may be at its int3.
    void lift(const Site& site) noexcept;
    void put_back(const Site& site) noexcept;
    // Puts all sites of an alarm back.
    void put_back(uint16_t alarm) noexcept;
    // Sites in the C library are without their int3 between a call with true and one with false; calls nest.
    void rest_in_c_library(bool begins) noexcept;
    // The code there is gone.
    void forget(const ElfImage& image) noexcept;

    // Null if there is no site. Any thread, and handlers.
    const Site* find(uintptr_t address) const noexcept;

 private:
    struct Entry {
        Site site;
        std::atomic<bool> is_there{false};
        bool is_lifted = false;
        bool is_kept = false;  // an end of calls: never lifted
        bool has_int3 = true;
    };
    static constexpr size_t slots = 2 * most;
    static size_t slot_of(uintptr_t address) noexcept {
        return static_cast<size_t>((address * 0x9e3779b97f4a7c15) >> 32) % slots;
    }
    size_t slot_for(uintptr_t address) const noexcept;
    Planted plant_locked(Site& site) noexcept;
    bool take_lock() noexcept;
    void write_locked(Entry& entry) noexcept;
    void write(const Site& site, bool is_lifted) noexcept;

    std::atomic_flag lock_ = ATOMIC_FLAG_INIT;
    // Handlers may hold an entry for ever, so none is used again.
    Entry* all_;
    size_t count_ = 0;
    int resting_ = 0;
    std::array<std::atomic<Entry*>, slots> table_{};
    NearMemory memory_;
};

}  // namespace ovni::code
