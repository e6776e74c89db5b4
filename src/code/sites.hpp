// Places in the program's code whose execution is reported. An int3 replaces the first byte, and the trap's
// handler continues with a copy of the instruction nearby. Threads are not stopped for that, and no thread
// passes a site unseen. After many hits a jump replaces the int3, if possible.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "code/elf_image.hpp"
#include "code/jump_patch.hpp"
#include "code/near_memory.hpp"
#include "code/written_code.hpp"
#include "core/probing.hpp"

namespace ovni::code {

// The kind of marker that an instruction is.
enum class Marker : uint8_t { none, ssc, magic, cpuid };

struct Site {
    uintptr_t address = 0;
    std::span<const uint16_t> alarms;  // alarms of its address, ascending
    std::span<const uint16_t> exits;   // alarms of the end of the function that begins here
    Marker marker = Marker::none;
    uint32_t immediate = 0;  // of an ssc marker
    uintptr_t copy = 0;
    uint8_t first_byte = 0;
    bool is_function = false;
    bool is_in_c_library = false;
    bool stays_trap = false;  // each hit is reported, even without alarms

    // The copy at which a thread continues after the report.
    uintptr_t way_on() const noexcept {
        return std::atomic_ref(const_cast<uintptr_t&>(copy)).load(std::memory_order_acquire);
    }
};

// Does not use the C library's memory, so sites may be planted while the program is inside malloc().
class Sites {
 public:
    static constexpr size_t most = size_t{1} << 16;
    enum class Planted : uint8_t { yes, was_there, not_possible, no_room, refused };
    enum class Code : uint8_t { may_run, does_not_run };

    Sites();
    // SIGILL is ours: see jump_patch.hpp.
    void use_illegal_instructions() noexcept { patches_.use_illegal_instructions(); }
    // Threads may run the code meanwhile; call synchronize_code() afterwards. An existing site is not
    // replaced, but it is no longer lifted if the new one has no alarms. The alarms must live as long as the
    // process. A function becomes a jump at once if no thread runs its code yet.
    Planted plant(Site site, Code code = Code::may_run) noexcept;
    // Removes the int3 of a site if it is idle. The site stays known, because a thread may be at its int3.
    // is_idle(site) is called while no site can be put back.
    void lift_if(const Site& site, bool (*is_idle)(const Site& site)) noexcept;
    // Puts all sites of an alarm back.
    void put_back(uint16_t alarm) noexcept;
    // Removes the int3 of sites in the C library between a call with true and one with false; calls nest.
    void rest_in_c_library(bool begins) noexcept;
    // Call when the image was unloaded.
    void forget(const ElfImage& image) noexcept;

    // Call in a child of fork().
    void start_over_in_child() noexcept;

    // Null if there is no site. Any thread, and handlers.
    const Site* find(uintptr_t address) const noexcept;
    // Call when a site was hit by its int3: after some hits a jump replaces it. The thread must not report
    // sites during this function and way_on_inside().
    void count_trap(const Site& site) noexcept;
    // The address at which a thread continues that hit an int3 inside a jump; 0 if there is no jump.
    uintptr_t way_on_inside(uintptr_t address) noexcept;
    // Replaces patched bytes in `bytes`, read at `address`, by the program's original bytes. An instruction
    // begins at `address`.
    void restore(uintptr_t address, std::span<uint8_t> bytes) const noexcept;

 private:
    enum class Form : uint8_t { original, int3, jump };
    struct Entry {
        Site site;
        std::atomic<bool> is_there{false};
        bool is_lifted = false;
        bool is_kept = false;    // end of a function's calls: never lifted
        bool is_broken = false;  // its code could not be changed back
        bool may_jump = true;
        bool wants_jump = false;
        bool is_changing = false;  // is being changed to or from a jump
        Form form = Form::int3;
        std::atomic<uint32_t> traps{0};         // since it was lifted
        std::atomic<uint32_t> traps_inside{0};  // of the jump
        std::atomic<const JumpPatch*> patch{nullptr};
    };
    static constexpr unsigned bits_of_slots = 17;
    static constexpr size_t slots = size_t{1} << bits_of_slots;
    static_assert(slots == 2 * most);
    static size_t slot_of(uintptr_t address) noexcept { return golden_hash(address, bits_of_slots); }
    size_t slot_for(uintptr_t address) const noexcept;
    Planted plant_locked(Site& site) noexcept;
    bool take_lock() noexcept;
    void write_locked(Entry& entry) noexcept;
    bool write_jump(const Entry& entry) noexcept;
    bool prepare_jump(Entry& entry) noexcept;
    void jump_at_once(Entry& entry) noexcept;
    bool remove_jump(const Entry& entry) noexcept;
    static bool write_inside(const CodeWriter& writer, const Entry& entry,
                             const std::array<uint8_t, JumpPatch::bytes>& bytes, bool begins) noexcept;
    void keep_trap(Entry& entry) noexcept;
    void give_lock() noexcept { lock_.clear(std::memory_order_release); }
    Entry* entry_at(uintptr_t address) const noexcept;
    Entry* entry_around(uintptr_t address) const noexcept;
    bool has_site_inside(uintptr_t address) const noexcept;
    const JumpPatch* make_patch(const Site& site) noexcept;
    void promote_locked(Entry& entry) noexcept;

    std::atomic_flag lock_ = ATOMIC_FLAG_INIT;
    // Entries are not reused, because handlers may hold them.
    Entry* all_;
    size_t count_ = 0;
    int resting_ = 0;
    std::array<std::atomic<Entry*>, slots> table_{};
    NearMemory memory_;
    JumpPatches patches_;
    JumpPatch* all_patches_;
    std::atomic<size_t> patch_count_{0};
};

}  // namespace ovni::code
