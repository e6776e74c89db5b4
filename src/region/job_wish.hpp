// Scope `job`: the wish of this process, until all ranks have agreed. A wish is a number that ranks combine
// by maximum: (changes agreed so far + 1) * 2, plus 1 if recording should begin. So if two different wishes
// are made before the next agreement, the wish to begin wins, and the other is made again afterwards.
// Lock-free, for any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "runtime/gate.hpp"

namespace ovni::region {

class JobWish {
 public:
    constexpr JobWish() = default;

    // Sets the first state of recording, equal on all ranks.
    void begin(writer::Recording state) noexcept;
    // Sets the wish for a state. If recording has that state and no rank can be changing it, returns false
    // and drops an earlier wish.
    bool want(writer::Recording to) noexcept;
    // The wish to combine over the ranks; 0: none. The wish is pending until agree().
    uint64_t wish() noexcept;
    // Takes the maximum, equal on all ranks, and returns the change that takes effect now; empty if it took
    // effect before.
    std::optional<writer::Recording> agree(uint64_t wish) noexcept;

 private:
    // From the top: changes agreed, whether ranks are agreeing, state, whether there is a wish, the wish.
    static constexpr unsigned changes_shift = 4;
    static constexpr uint64_t offered = 8, recording = 4, wishing = 2, wished = 1;
    std::atomic<uint64_t> word_{recording};
};

}  // namespace ovni::region
