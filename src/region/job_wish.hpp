// Scope `job`: what this process wishes for, until all ranks have agreed on something. A wish is a number
// that ranks combine by maximum: (changes agreed so far + 1) * 2, and 1 where recording is to begin. So of
// two that are made before the next agreement, the one to begin wins; the other is wished for again
// afterwards. Lock-free, for any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "runtime/gate.hpp"

namespace ovni::region {

class JobWish {
 public:
    constexpr JobWish() = default;

    // How recording begins, on all ranks alike.
    void begin(writer::Recording state) noexcept;
    // False where recording is so already, and no rank can be changing it; what was wished for before is
    // forgotten then.
    bool want(writer::Recording to) noexcept;
    // To be combined over the ranks; 0: none. Until agree() nobody knows what comes out of it.
    uint64_t wish() noexcept;
    // What came out of that, the same on all ranks: the change that takes effect now. None where it was
    // known.
    std::optional<writer::Recording> agree(uint64_t wish) noexcept;

 private:
    // changes agreed, whether ranks are agreeing, state, whether something is wished for, what.
    static constexpr unsigned changes_shift = 4;
    static constexpr uint64_t offered = 8, recording = 4, wishing = 2, wished = 1;
    std::atomic<uint64_t> word_{recording};
};

}  // namespace ovni::region
