// Places in the program's code that tell when they are executed: an int3 stands in place of the first byte,
// and a copy of the instruction, which the handler of the trap goes on with, lies nearby. No thread has to be
// stopped, and no thread gets past a site unseen.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "code/elf_image.hpp"
#include "code/near_memory.hpp"

namespace ovni::code {

// The mark that an instruction sets when it is executed.
enum class Marker : uint8_t { none, ssc, magic, cpuid };

struct Site {
    uintptr_t address = 0;
    std::vector<uint16_t> alarms;  // those of its address, ascending
    Marker marker = Marker::none;
    uint32_t immediate = 0;  // of an ssc marker
    uintptr_t copy = 0;
};

class Sites {
 public:
    static constexpr size_t most = size_t{1} << 16;
    enum class Planted : uint8_t { yes, not_possible, no_room, refused };

    // Not for several threads at a time. Threads may run the code meanwhile; call synchronize_code()
    // afterwards. A place that is a site already stays what it is.
    Planted plant(Site site);
    // The code there is gone.
    void forget(const ElfImage& image);

    // Null if there is no site. Any thread, and handlers.
    const Site* find(uintptr_t address) const noexcept;

 private:
    static constexpr size_t slots = 2 * most;
    static size_t slot_of(uintptr_t address) noexcept {
        return static_cast<size_t>((address * 0x9e3779b97f4a7c15) >> 32) % slots;
    }
    size_t free_slot_for(uintptr_t address) const noexcept;

    struct Entry {
        Site site;
        std::atomic<bool> is_there{true};
    };
    // Handlers may hold an entry for ever, so none is freed.
    std::vector<std::unique_ptr<Entry>> all_;
    std::array<std::atomic<Entry*>, slots> table_{};
    NearMemory memory_;
};

}  // namespace ovni::code
